"""The models that a client asks: each opened once, when a question is first asked of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from threading import Lock
from typing import TYPE_CHECKING, TypeAlias

from ..settings import Settings
from .opening import OFFLINE

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from .cache import Cache
    from .models import Model

    Wish: TypeAlias = str | BaseChatModel | None


@dataclass
class Models:
    """``wished`` is asked where a question names none: a model or its name, None for that of the settings.

    Replies are kept in the home of the settings.
    """

    settings: Settings
    wished: Wish = None
    _opened: dict[tuple[object, bool], Model] = field(default_factory=dict)
    _cache: Cache | None = None
    _lock: Lock = field(default_factory=Lock)

    def model(self, given: Wish = None, keep: bool = True) -> Model | None:
        """The model to ask, None where demonstrations are to do; ``keep``: its replies are kept.

        Raises:
            BadSettings, MissingExtra, CacheUnusable
        """
        chosen = given or self.wished or self.settings.llm or OFFLINE
        if chosen == OFFLINE:
            return None
        with self._lock:
            key = (chosen if isinstance(chosen, str) else id(chosen), keep)
            if key not in self._opened:
                self._opened[key] = self._open(chosen, keep)
            return self._opened[key]

    def name(self, given: Wish = None) -> str:
        """What is asked, by name: a model, or ``demonstrations``."""
        model = self.model(given, keep=False)
        return OFFLINE if model is None else model.name

    def _open(self, chosen: str | BaseChatModel, keep: bool) -> Model:
        from .cache import FILE, Cache
        from .models import Model, open_model

        if keep and self._cache is None:
            self._cache = Cache(self.settings.home / FILE)
        cache = self._cache if keep else None
        if isinstance(chosen, str):
            return open_model(replace(self.settings, llm=chosen), cache=cache)
        return Model(chosen, cache=cache)

    def close(self) -> None:
        """Close what was opened: connections of models, and the file of replies."""
        with self._lock:
            for model in self._opened.values():
                model.close()
            self._opened.clear()
            if self._cache is not None:
                self._cache.close()
                self._cache = None
