"""Run `python -m nescio.cli`."""

from nescio.cli import main

if __name__ == "__main__":
    main()
