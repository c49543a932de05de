"""Tokens of our own are those of the library tokenizers."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.default_model import FOLDER
from tokenizers import Tokenizer

from trustuqa_neo4j.embedding.bert import read_shape, read_tokeniser
from trustuqa_neo4j.embedding.wordpiece import WordPiece

OLD = unicodedata.ucd_3_2_0
PARTS = [
    "[CLS]", "[MASK]", "[unk]", " ", "Σ", "ς", "ΑΣ", "é", "İ", "ß", "ﬁ", "月", "한국", "ไทย", "नमस्ते", "\t",
    "\n", "\x0b", "\x00", "\x85", "\u200b", "\u00ad", "🥇", "Apollo", "11", "-", "$", "™", "\u0301", "ǅ", "[",
    "]", "x" * 101, "\ufffd", "…", "—", "½", "²", "٣", "\u2028", "\u3000", "unbelievable", "Ångström",
    "\U0002b820",
]  # fmt: skip


@pytest.fixture(scope="module")
def library() -> Tokenizer:
    tokeniser = Tokenizer.from_file(str(FOLDER / "tokenizer.json"))
    tokeniser.no_padding()
    tokeniser.enable_truncation(256)
    return tokeniser


@pytest.fixture(scope="module")
def tokeniser() -> WordPiece:
    shape = read_shape(FOLDER)
    assert shape is not None
    return read_tokeniser(FOLDER, shape)


@given(parts=st.lists(st.sampled_from(PARTS), max_size=12))
def test_parts_in_any_order(parts: list[str], library: Tokenizer, tokeniser: WordPiece) -> None:
    text = "".join(parts)
    assert tokeniser.encode(text) == library.encode(text).ids


def test_each_character(library: Tokenizer, tokeniser: WordPiece) -> None:
    # Of those whose kind has not changed: the library's table is that of Unicode 8.
    characters = [c for c in map(chr, range(0x110000)) if is_settled(c)]
    texts = [f"a{c}b {c}" for c in characters]
    different = [
        text
        for text, encoding in zip(texts, library.encode_batch(texts), strict=True)
        if tokeniser.encode(text) != encoding.ids
    ]
    assert different == []


def is_settled(character: str) -> bool:
    category = OLD.category(character)
    return category not in ("Cn", "Cs") and category == unicodedata.category(character)


def test_long_texts_are_cut(library: Tokenizer, tokeniser: WordPiece) -> None:
    for text in ("a " * 400, "unbelievable " * 300, "[MASK]" * 300, "-" * 300):
        ids = tokeniser.encode(text)
        assert len(ids) == 256
        assert ids == library.encode(text).ids


@pytest.mark.parametrize(("lower", "strip_accents"), [(False, False), (True, False), (False, True)])
def test_cased_models(
    lower: bool, strip_accents: bool, library: Tokenizer, tokeniser: WordPiece
) -> None:
    from tokenizers.normalizers import BertNormalizer

    cased = Tokenizer.from_str(library.to_str())
    cased.normalizer = BertNormalizer(lowercase=lower, strip_accents=strip_accents)
    vocabulary = library.get_vocab(with_added_tokens=True)
    own = WordPiece(vocabulary, 256, lower=lower, strip_accents=strip_accents)
    for text in ("Ångström", "naïve café", "apollo Apollo 11", "é 月"):
        assert own.encode(text) == cased.encode(text).ids
