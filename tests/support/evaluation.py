"""What the tests of ``tuqa eval`` share: the command, and the summary that it prints as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from support.shell import Done

Shell = Callable[..., Done]


def summary(done: Done) -> dict[str, Any]:
    assert (done.code, done.err) == (0, "")
    content: dict[str, Any] = json.loads(done.out)
    return content
