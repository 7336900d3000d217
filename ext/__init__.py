"""The Cython floor: random numbers, the game contract, rules kernels, search loops. Imports no other floor."""
