"""Run `python -m nescio`."""

from nescio.cli import main

if __name__ == "__main__":
    main()
