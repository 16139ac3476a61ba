"""`python -m bamdp` is the same as `bamdp`."""

import sys

from bamdp.cli import main

sys.exit(main())
