"""``WordPiece``: texts to tokens as BERT reads them.

The library tokenizers gives the same tokens, and tests compare both. It is not used, since it brings a client
of the model hub: 40 MB, as much as the rest of the runtime. Most words come again, so their tokens are kept.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

_CONTINUED = "##"
_MAX_WORD = 100  # characters; longer words are unknown
_KEPT_WORDS = 1 << 16
SPECIAL_TOKENS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_SPECIAL_PATTERN = re.compile("(" + "|".join(map(re.escape, SPECIAL_TOKENS)) + ")")

_ASCII_WORDS = re.compile(r"[0-9a-z]+|[!-/:-@\[-`{-~]")  # each punctuation mark is a word
_ASCII_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")

# Each of these characters is a word: the blocks of CJK ideographs, with the gap that the library has.
_IDEOGRAPHS = re.compile(
    "([\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002b81f"
    "\U0002b920-\U0002ceaf\U0002f800-\U0002fa1f])"
)
_REMOVED = ("Cc", "Cf", "Co", "Cs")  # categories: control, format, private use, surrogates


class WordPiece:
    # ``vocabulary`` maps tokens to ids; ``max_tokens`` includes the first and the last.
    def __init__(
        self, vocabulary: Mapping[str, int], max_tokens: int, *, lower: bool, strip_accents: bool
    ) -> None:
        self._vocabulary = vocabulary
        self._unknown, self._first, self._last = (
            vocabulary[token] for token in ("[UNK]", "[CLS]", "[SEP]")
        )
        self._max_tokens = max_tokens
        self._lower = lower
        self._strip_accents = strip_accents
        self._split = lru_cache(_KEPT_WORDS)(self._split_word)

    @property
    def last_id(self) -> int:
        return max(self._vocabulary.values())

    def encode_all(self, texts: Sequence[str]) -> list[list[int]]:
        return [self.encode(text) for text in texts]

    def encode(self, text: str) -> list[int]:
        ids = [self._first]
        limit = self._max_tokens - 1
        for part in _SPECIAL_PATTERN.split(text) if "[" in text else (text,):
            if part in SPECIAL_TOKENS and part in self._vocabulary:
                ids.append(self._vocabulary[part])
                continue
            for word in self._words(part):
                ids += self._split(word)
                if len(ids) >= limit:
                    break
        return [*ids[:limit], self._last]

    def _words(self, text: str) -> Iterable[str]:
        if text.isascii() and self._lower:
            return _ASCII_WORDS.findall(_ASCII_CONTROL.sub("", text).lower())
        text = _IDEOGRAPHS.sub(r" \1 ", "".join(filter(None, map(_clean, text))))
        if self._strip_accents:
            text = "".join(
                c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn"
            )
        if self._lower:
            text = "".join(map(str.lower, text))  # letter by letter: no final sigma
        return "".join(f" {c} " if _is_punctuation(c) else c for c in text).split()

    def _split_word(self, word: str) -> tuple[int, ...]:
        # The longest token from the left, again and again.
        if len(word) > _MAX_WORD:
            return (self._unknown,)
        ids: list[int] = []
        start = 0
        while start < len(word):
            prefix = _CONTINUED if start else ""
            for end in range(len(word), start, -1):
                token = self._vocabulary.get(prefix + word[start:end])
                if token is not None:
                    ids.append(token)
                    start = end
                    break
            else:
                return (self._unknown,)
        return tuple(ids)


def _clean(character: str) -> str:
    if character in "\t\n\r" or unicodedata.category(character) in ("Zs", "Zl", "Zp"):
        return " "
    is_removed = character == "\ufffd" or unicodedata.category(character) in _REMOVED
    return "" if is_removed else character


def _is_punctuation(character: str) -> bool:
    return unicodedata.category(character)[0] == "P" or character in "$+<=>^`|~"
