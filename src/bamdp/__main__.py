"""`python -m bamdp` is the same as `bamdp`."""

import sys

from bamdp.cli.main import main

sys.exit(main())
