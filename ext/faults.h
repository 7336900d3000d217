/* Planted faults: a build with SIRENIA_FAULTS can break one rule decision at run time, to show that the tests notice. */
#ifndef SIRENIA_FAULTS_H
#define SIRENIA_FAULTS_H
#ifdef SIRENIA_FAULTS
static int sirenia_fault = 0;
#define FAULT(decision) (sirenia_fault == (decision))
#define PLANT_FAULT(decision) (sirenia_fault = (decision), 1)
#else
#define FAULT(decision) 0
#define PLANT_FAULT(decision) ((void)(decision), 0)
#endif
#endif
