"""``python -m ontomask``: the command where no script is installed."""

from ontomask.cli import main

if __name__ == "__main__":
    main()
