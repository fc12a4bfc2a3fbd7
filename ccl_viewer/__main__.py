"""``python -m ccl_viewer``."""

import sys

from ccl_viewer.cli import main

sys.exit(main())
