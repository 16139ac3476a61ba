"""`python -m reproduction NAME...`."""

import sys

from reproduction.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
