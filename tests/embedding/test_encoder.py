"""Vectors of the default model: their form, their order, each text once, and in how many bits."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from support.default_model import FOLDER

from trustuqa_neo4j.embedding import Encoder, VectorBatch, VectorCache, open_embedder
from trustuqa_neo4j.embedding.inference import InferenceOptions, has_bfloat16, make_batches
from trustuqa_neo4j.embedding.models import EmbeddingModel, SavedModel
from trustuqa_neo4j.embedding.sentence_transformer import TransformerNetwork

NAMES = [
    "Apollo 11",
    "Neil Armstrong",
    "Buzz Aldrin",
    "Saturn V",
    "Apollo 11",
    "月",
    "",
    "a" * 5_000,
]


class Counted:
    """A model that notes what it was asked for."""

    is_cacheable = True

    def __init__(self, model: EmbeddingModel, fail_after: int = 10**9) -> None:
        self.model = model
        self.identity = model.identity
        self.asked: list[str] = []
        self.fail_after = fail_after

    @property
    def dimension(self) -> int:
        raise AssertionError("the cache could have told")

    def encode(self, texts: Sequence[str]) -> Iterator[VectorBatch]:
        for done, batch in enumerate(self.model.encode(texts)):
            if done == self.fail_after:
                raise KeyboardInterrupt
            self.asked += [texts[i] for i in batch.indices]
            yield batch


@pytest.fixture
def counted(encoder: Encoder) -> Counted:
    return Counted(encoder._model)


def words(number: int) -> list[str]:
    """Names as films, people and places have them, all different."""
    pick = random.Random(3).choice
    syllables = ["ka", "lo", "mir", "ten", "sha", "vo", "ri", "den", "gul", "par", "os", "ne"]
    first = ["Anna", "John", "Maria", "Peter", "Yuki", "Omar", "Elena", "David", "Grace", "Ivan"]
    kinds = ["River", "Station", "House", "Garden", "Empire", "Bridge", "Song", "Winter", "Letter"]
    found: dict[str, None] = {}
    while len(found) < number:
        made = "".join(pick(syllables) for _ in range(pick((2, 3)))).title()
        forms = (f"{pick(first)} {made}", f"The {pick(kinds)} of {made}", f"{made} {pick(kinds)}")
        found[pick(forms)] = None
    return list(found)


def test_unit_vectors_in_the_order_given(encoder: Encoder) -> None:
    vectors = encoder.encode_all(NAMES)
    assert (vectors.shape, vectors.dtype) == ((len(NAMES), 384), np.float32)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-6)
    for name, vector in zip(NAMES, vectors, strict=True):
        assert encoder.encode_one(name) == pytest.approx(vector, abs=2e-6)
    assert encoder.encode_all([]).shape == (0, 384)


@pytest.mark.long
def test_the_same_as_sentence_transformers_gives(encoder: Encoder) -> None:
    from sentence_transformers import SentenceTransformer

    plain = SentenceTransformer(str(FOLDER), device="cpu")
    expected = plain.encode(NAMES, normalize_embeddings=True, show_progress_bar=False)
    assert encoder.encode_all(NAMES) == pytest.approx(expected, abs=5e-5)  # approximate activation

    network = TransformerNetwork(plain, "here", InferenceOptions("cpu", "float32"))
    for indices, vectors in network.encode(NAMES):
        assert vectors == pytest.approx(expected[indices], abs=2e-6)

    # A model with a prompt of its own is left to sentence-transformers, which knows what to do with it.
    plain.prompts["name"] = plain.default_prompt_name = "name"
    prompted = TransformerNetwork(plain, "here", InferenceOptions("cpu"))
    [(indices, vectors)] = prompted.encode(NAMES[:4])
    plain.default_prompt_name = None
    asked = plain.encode(["name" + n for n in NAMES[:4]], show_progress_bar=False)
    assert vectors == pytest.approx(asked[indices], abs=2e-6)


def test_each_text_once(counted: Counted) -> None:
    done: list[int] = []
    batches = list(Encoder(counted).encode(NAMES, done.append))
    assert sorted(counted.asked) == sorted(set(NAMES))
    assert sorted(i for batch in batches for i in batch.indices) == list(range(len(NAMES)))
    assert sum(done) == len(NAMES)


def test_what_is_in_the_cache_is_not_embedded_again(counted: Counted, tmp_path: Path) -> None:
    with Encoder(counted, VectorCache(tmp_path / "c")) as first:
        vectors = first.encode_all(NAMES)
        assert len(counted.asked) == len(set(NAMES))
    with Encoder(counted, VectorCache(tmp_path / "c")) as again:
        assert (again.encode_all(NAMES[::-1]) == vectors[::-1]).all()
        assert (again.encode_one(NAMES[0]) == vectors[0]).all()
        assert again.dimension == 384
        assert len(counted.asked) == len(set(NAMES))
        again.encode_all([*NAMES, "one more"])
        assert counted.asked[len(set(NAMES)) :] == ["one more"]


def test_what_was_done_before_an_interruption_stays(encoder: Encoder, tmp_path: Path) -> None:
    names = words(300)
    interrupted = Counted(encoder._model, fail_after=1)
    with (
        Encoder(interrupted, VectorCache(tmp_path / "c")) as first,
        pytest.raises(KeyboardInterrupt),
    ):
        first.encode_all(names)
    assert 0 < len(interrupted.asked) < 300
    resumed = Counted(encoder._model)
    with Encoder(resumed, VectorCache(tmp_path / "c")) as second:
        second.encode_all(names)
    assert set(resumed.asked) == set(names) - set(interrupted.asked)


def test_text_that_no_tokeniser_takes(encoder: Encoder) -> None:
    assert encoder.encode_one("a\ud800b").shape == (384,)


def test_questions_from_several_threads(encoder: Encoder) -> None:
    expected = [encoder.encode_one(name) for name in NAMES[:4]]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(10):
            given = list(pool.map(encoder.encode_one, NAMES[:4]))
            assert np.array(given) == pytest.approx(np.array(expected), abs=2e-6)


def test_batches_are_sorted_and_bounded() -> None:
    lengths = [random.Random(i).choice((3, 5, 200)) for i in range(1_000)] + [100_000]
    for alike in (False, True):
        made = list(make_batches(lengths, alike))
        assert [lengths[i] for batch in made for i in batch] == sorted(lengths)
        assert all(len(b) <= 256 and len(b) * lengths[b[-1]] <= 8_192 for b in made[:-1])
        assert made[-1] == [1_000]
    assert all(len({lengths[i] for i in batch}) == 1 for batch in made)
    assert list(make_batches([])) == []


@pytest.mark.parametrize(
    ("flags", "has"),
    [("fpu avx512_bf16 sse", True), ("amx_bf16 amx_tile", True), ("avx512f avx512_vnni", False)],
)
def test_bfloat16_is_read_from_the_flags(flags: str, has: bool, tmp_path: Path) -> None:
    (tmp_path / "cpuinfo").write_text(f"processor\t: 0\nflags\t\t: {flags}\nbugs\t: amx\n")
    assert has_bfloat16(tmp_path / "cpuinfo") is has
    assert not has_bfloat16(tmp_path / "none")


@pytest.mark.long  # imports sentence-transformers
def test_precision_follows_the_processor() -> None:
    model = SavedModel("default", FOLDER, InferenceOptions("cpu"), needs_library=True)
    assert isinstance(model.network, TransformerNetwork)
    assert model.network.precision == ("bfloat16" if has_bfloat16() else "float32")


@pytest.mark.long  # imports sentence-transformers
def test_bfloat16_finds_the_same_neighbours(encoder: Encoder) -> None:
    names = words(500)
    full = encoder.encode_all(names)
    with open_embedder(device="cpu", precision="bfloat16") as halved:
        short = halved.encode_all(names)
        # Alone or among others, a text has the same vector but for rounding.
        assert halved.encode_one(names[0]) @ short[0] == pytest.approx(1, abs=1e-3)
    assert share_of_same_neighbours(full, short) >= 0.99


@pytest.mark.long  # imports sentence-transformers
def test_the_library_finds_the_same_neighbours(encoder: Encoder) -> None:
    names = words(500)
    library = SavedModel("default", FOLDER, InferenceOptions("cpu", "float32"), needs_library=True)
    assert isinstance(library.network, TransformerNetwork)
    expected = Encoder(library).encode_all(names)
    assert encoder.encode_all(names) == pytest.approx(expected, abs=5e-5)
    assert share_of_same_neighbours(expected, encoder.encode_all(names)) >= 0.99


def share_of_same_neighbours(expected: np.ndarray, vectors: np.ndarray) -> float:
    similarities = expected @ expected.T
    np.fill_diagonal(similarities, -1)
    compared = vectors @ vectors.T
    np.fill_diagonal(compared, -1)
    # Names that differ in case only are equally near.
    nearest = similarities[np.arange(len(expected)), compared.argmax(1)]
    return float((nearest >= similarities.max(1) - 1e-6).mean())
