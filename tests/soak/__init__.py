"""Parts of `tests/run_soak.py`: callers, what they hold answers to, and what a server may hold."""
