"""Imported first, it keeps out of the driver what the commands keep out of it: 70 MB, and a second."""

import sys

for name in ("pandas", "pyarrow"):
    sys.modules.setdefault(name, None)  # type: ignore[arg-type]  # None makes the import fail
