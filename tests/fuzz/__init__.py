"""Parts of `tests/run_fuzz.py`: requests, ways to spoil them, what they are fed to, and how faults are caught."""
