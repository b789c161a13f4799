"""`python -m benchmarks` is the command `sapper`."""

from benchmarks.cli import main

if __name__ == "__main__":
    main()
