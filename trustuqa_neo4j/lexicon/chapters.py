"""Reads the file of a language, chapter by chapter: parsing all of it takes a twentieth of a second."""

# Annotations of fields are types here and not texts, since ``load_words`` reads them.

import re
import tomllib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar, get_args, get_origin

LANGUAGE = "en"

Words = TypeVar("Words")
_CHAPTER = re.compile(r"^\[+([a-z_]+)", re.MULTILINE)


@cache
def read_chapter(name: str) -> Mapping[str, Any]:
    """Parse the chapter ``name``: all sections of the file whose names begin with it."""
    chapter: Mapping[str, Any] = tomllib.loads(split_chapters()[name])[name]
    return chapter


@cache
def split_chapters() -> Mapping[str, str]:
    """Map each chapter's name to its text."""
    text = files("trustuqa_neo4j.lexicon").joinpath(f"{LANGUAGE}.toml").read_text(encoding="utf-8")
    chapters: dict[str, str] = {}
    starts = [*_CHAPTER.finditer(text)]
    ends = [*(start.start() for start in starts[1:]), len(text)]
    for start, end in zip(starts, ends, strict=True):
        chapters[start[1]] = chapters.get(start[1], "") + text[start.start() : end]
    return chapters


def load_words(kind: type[Words], chapter: str) -> Words:
    """Make a dataclass of a chapter: each of its fields is a list or section of the same name."""
    return _make(kind, chapter, read_chapter(chapter))


def _make(kind: type[Words], chapter: str, lists: Mapping[str, Any]) -> Words:
    types = {field.name: field.type for field in fields(kind)}  # type: ignore[arg-type]
    if lists.keys() != types.keys():
        names = ", ".join(sorted(lists.keys() ^ types.keys()))
        raise ValueError(
            f"{LANGUAGE}.toml, [{chapter}]: not in both it and {kind.__name__}: {names}"
        )
    return kind(**{name: _convert(types[name], chapter, words) for name, words in lists.items()})


def _convert(kind: Any, chapter: str, words: Any) -> Any:
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is frozenset:
        return frozenset(words)
    if origin is tuple:
        return tuple(_convert(arguments[0], chapter, word) for word in words)
    if origin is Mapping:
        return {key: _convert(arguments[1], chapter, word) for key, word in words.items()}
    if isinstance(kind, type) and is_dataclass(kind):
        return _make(kind, chapter, words)
    return words
