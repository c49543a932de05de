"""A recognizer for grammars in GBNF, as far as the grammar of the query language uses the notation."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

Matcher = Callable[[str, int], Iterator[int]]
"""Yields where a match that begins at a position of a text may end."""

_TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]|[a-z][a-z-]*|[()|*+?])')


class Grammar:
    def __init__(self, text: str) -> None:
        self.rules: dict[str, Matcher] = {}
        self.references: set[str] = set()
        for line in text.splitlines():
            name, _, body = line.partition(" ::= ")
            tokens = _TOKEN.findall(body)
            self.rules[name], rest = self._alternatives(tokens)
            assert not rest, f"{name}: {rest}"

    def accepts(self, text: str) -> bool:
        return any(end == len(text) for end in self.rules["root"](text, 0))

    def _alternatives(self, tokens: list[str]) -> tuple[Matcher, list[str]]:
        options: list[Matcher] = []
        while True:
            sequence, tokens = self._sequence(tokens)
            options.append(sequence)
            if tokens[:1] != ["|"]:
                return _any(options), tokens
            tokens = tokens[1:]

    def _sequence(self, tokens: list[str]) -> tuple[Matcher, list[str]]:
        parts: list[Matcher] = []
        while tokens and tokens[0] not in ("|", ")"):
            part, tokens = self._item(tokens)
            if tokens[:1] in (["*"], ["+"], ["?"]):
                part = _repeat(part, tokens[0])
                tokens = tokens[1:]
            parts.append(part)
        return _all(parts), tokens

    def _item(self, tokens: list[str]) -> tuple[Matcher, list[str]]:
        token, *rest = tokens
        if token == "(":
            group, rest = self._alternatives(rest)
            assert rest[0] == ")"
            return group, rest[1:]
        if token.startswith('"'):
            return _literal(token[1:-1].encode().decode("unicode_escape")), rest
        if token.startswith("["):
            return _characters(re.compile(token)), rest
        self.references.add(token)
        return lambda text, at: self.rules[token](text, at), rest


def _literal(wanted: str) -> Matcher:
    def match(text: str, at: int) -> Iterator[int]:
        if text.startswith(wanted, at):
            yield at + len(wanted)

    return match


def _characters(pattern: re.Pattern[str]) -> Matcher:
    def match(text: str, at: int) -> Iterator[int]:
        if at < len(text) and pattern.fullmatch(text[at]):
            yield at + 1

    return match


def _any(options: list[Matcher]) -> Matcher:
    def match(text: str, at: int) -> Iterator[int]:
        for option in options:
            yield from option(text, at)

    return _remember(match)


def _all(parts: list[Matcher]) -> Matcher:
    def match(text: str, at: int) -> Iterator[int]:
        ends = {at}
        for part in parts:
            ends = {end for start in ends for end in part(text, start)}
        yield from ends

    return match


def _repeat(part: Matcher, sign: str) -> Matcher:
    def match(text: str, at: int) -> Iterator[int]:
        ends, newest = set[int](), {at}
        while newest:
            ends |= newest
            newest = {end for start in newest for end in part(text, start)} - ends
            if sign == "?":
                ends |= newest
                break
        yield from ends - ({at} if sign == "+" else set())

    return match


def _remember(match: Matcher) -> Matcher:
    """Match each position of a text once."""

    @cache
    def ends(text: str, at: int) -> tuple[int, ...]:
        return tuple(set(match(text, at)))

    return lambda text, at: iter(ends(text, at))
