"""`python -m advisor` is the command `advisor`."""

from advisor.cli import main

if __name__ == "__main__":
    main()
