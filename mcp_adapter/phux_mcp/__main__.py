"""``python -m phux_mcp``."""

import sys

from phux_mcp.main import main

sys.exit(main())
