"""One question to be asked: by a model, or after demonstrations where there is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..answer import Answer
from .dialogue import Dialogue, Wish

if TYPE_CHECKING:
    from ..llm.models import Model


@dataclass(frozen=True)
class Asking:
    """What is wished, and the model that writes the query; None where demonstrations do."""

    wish: Wish
    model: Model | None

    def dialogue(self) -> Dialogue[Answer]:
        """What leads to the answer."""
        # Each way takes along what the other does not need.
        if self.model is None:
            from .by_demonstrations import by_demonstrations

            return by_demonstrations(self.wish)
        from .by_model import by_model

        return by_model(self.wish)
