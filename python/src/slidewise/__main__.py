"""`python -m slidewise`."""

from slidewise.cli import main

if __name__ == "__main__":
    main()
