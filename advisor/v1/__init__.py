"""Code generated from proto/advisor/v1 by `make proto`; do not edit."""
