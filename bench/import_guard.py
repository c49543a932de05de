"""Imported first, this keeps pandas and pyarrow out of the driver, as the commands do: 70 MB and a second."""

import sys

for name in ("pandas", "pyarrow"):
    sys.modules.setdefault(name, None)  # type: ignore[arg-type]  # None makes the import fail
