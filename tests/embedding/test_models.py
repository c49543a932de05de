"""Which model is opened, what it is called, and what is said when it cannot be."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from langchain_core.embeddings import DeterministicFakeEmbedding
from support.default_model import FOLDER

from trustuqa_neo4j.embedding import Encoder, open_embedder
from trustuqa_neo4j.embedding.bert import Bert
from trustuqa_neo4j.embedding.inference import InferenceOptions
from trustuqa_neo4j.errors import EmbedderFailed

LIGHT = """
import sys
sys.modules[{missing!r}] = None
from trustuqa_neo4j.embedding import open_embedder
from trustuqa_neo4j.errors import MissingExtra
class Own:
    def encode(self, texts): return [[1.0, 0.0]] * len(texts)
try: open_embedder({model}).encode_one("a")
except MissingExtra as error: print(error)
assert not sys.modules.get("torch")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(FOLDER, tmp_path / "mine"))


def test_the_default_is_known_by_its_name(encoder: Encoder) -> None:
    assert encoder.identity == "all-MiniLM-L6-v2"
    assert encoder.dimension == 384
    assert open_embedder("sentence-transformers/all-MiniLM-L6-v2").identity == encoder.identity


def test_identity_needs_no_torch() -> None:
    code = (
        "import sys; from trustuqa_neo4j.embedding import open_embedder; open_embedder().identity;"
        "assert not {'torch', 'numpy', 'sentence_transformers'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_folder_is_known_by_its_content(folder: Path, encoder: Encoder) -> None:
    opened = open_embedder(str(folder))
    assert opened.identity.startswith("mine-")
    assert opened.identity == open_embedder(str(folder)).identity
    same = opened.encode_one("Neil Armstrong") @ encoder.encode_one("Neil Armstrong")
    assert same == pytest.approx(1, abs=0.002)

    (folder / "README.md").write_text("read")
    assert open_embedder(str(folder)).identity == opened.identity
    with (folder / "model.safetensors").open("r+b") as weights:
        weights.seek(-8, 2)
        weights.write(b"\1\2\3\4\5\6\7\10")
    assert open_embedder(str(folder)).identity != opened.identity


@pytest.mark.long  # imports sentence-transformers
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("no-such-model-anywhere", "the model cannot be opened: .*\nhint: is the name right"),
        ("nobody/nothing", "the model cannot be opened: .*\nhint: .*is there a network"),
        ("./no/such/folder", "no such folder, ./no/such/folder\nhint: give the folder"),
    ],
)  # fmt: skip
def test_unknown_names(name: str, said: str) -> None:
    with pytest.raises(EmbedderFailed, match=said):
        open_embedder(name)


@pytest.mark.long  # imports sentence-transformers
def test_broken_folders(folder: Path) -> None:
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:100_000])
    with pytest.raises(EmbedderFailed, match=r"cannot be opened: .*\nhint: save the model anew"):
        open_embedder(str(folder)).encode_one("a")
    (folder / "config.json").write_text("{")
    with pytest.raises(EmbedderFailed, match=r"cannot be opened: .*not a valid JSON"):
        open_embedder(str(folder)).encode_one("a")
    shutil.rmtree(folder)
    folder.mkdir()
    with pytest.raises(EmbedderFailed, match="holds no model"):
        open_embedder(str(folder))


def edit(path: Path, **changes: object) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def pooled(folder: Path, mode: str) -> None:
    edit(folder / "1_Pooling" / "config.json", pooling_mode_mean_tokens=False, **{mode: True})


@pytest.mark.long
def test_the_default_is_run_without_sentence_transformers(folder: Path) -> None:
    code = (
        "import sys; from trustuqa_neo4j.embedding import open_embedder\n"
        "assert open_embedder(sys.argv[1]).encode_one('a').shape == (384,)\n"
        "assert not {'sentence_transformers', 'transformers'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code, str(folder)], check=True)


@pytest.mark.long  # imports sentence-transformers
def test_the_first_token_as_sentence_transformers_has_it(folder: Path) -> None:
    from sentence_transformers import SentenceTransformer

    pooled(folder, "pooling_mode_cls_token")
    plain = SentenceTransformer(str(folder), device="cpu")
    plain.save(str(folder.with_name("saved")))  # what a folder says is written anew
    expected = plain.encode(["Neil Armstrong"], show_progress_bar=False)
    for place in (folder, folder.with_name("saved")):
        found = Bert.open(place, InferenceOptions("cpu", "float32"))
        assert found is not None
        ((_, vectors),) = found.encode(["Neil Armstrong"])
        unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        assert unit == pytest.approx(expected, abs=2e-6)


@pytest.mark.parametrize(
    "change",
    [
        lambda f: edit(f / "config.json", hidden_act="relu"),
        lambda f: edit(f / "config.json", model_type="mpnet"),
        lambda f: edit(f / "config.json", num_hidden_layers=5),
        lambda f: edit(f / "config.json", num_hidden_layers=7),
        lambda f: edit(f / "config.json", position_embedding_type="relative_key"),
        lambda f: edit(f / "sentence_bert_config.json", do_lower_case=True),
        lambda f: edit(f / "tokenizer_config.json", do_lower_case=False),
        lambda f: edit(f / "config_sentence_transformers.json", default_prompt_name="query"),
        lambda f: pooled(f, "pooling_mode_max_tokens"),
        lambda f: edit(f / "1_Pooling" / "config.json", pooling_mode_cls_token=True),
        lambda f: (f / "modules.json").write_text(
            (f / "modules.json").read_text().replace("models.Normalize", "models.Dense")
        ),
        lambda f: (f / "tokenizer.json").unlink(),
        lambda f: (f / "config.json").write_text("{"),
        lambda f: (f / "adapter_config.json").write_text("{}"),
    ],
)  # fmt: skip
def test_what_is_not_exactly_bert_goes_the_long_way(
    folder: Path, change: Callable[[Path], object]
) -> None:
    assert Bert.open(folder, InferenceOptions("cpu")) is not None
    change(folder)
    assert Bert.open(folder, InferenceOptions("cpu")) is None


@pytest.mark.long  # imports sentence-transformers
def test_an_unknown_device() -> None:
    with pytest.raises(EmbedderFailed, match="cannot be opened"):
        open_embedder(device="abacus").encode_one("a")


@pytest.mark.parametrize(
    ("missing", "model"), [("sentence_transformers", ""), ("torch", ""), ("numpy", "Own()")]
)
def test_the_extra_is_missing(missing: str, model: str) -> None:
    code = LIGHT.format(missing=missing, model=model)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == (
        f"embeddings need the Python package '{missing}', which is not installed\n"
        'hint: pip install "trustuqa-neo4j[embeddings]"\n'
    ), done.stderr


class Own:
    def encode(self, texts: list[str]) -> list[list[float]]:
        return [[3.0, 4.0, len(text)] for text in texts]


class Named(Own):
    model_name = "words-2"


def test_an_embedder_of_ones_own(tmp_path: Path) -> None:
    with open_embedder(Named(), tmp_path) as opened:
        assert (opened.identity, opened.dimension) == ("Named:words-2", 3)
        assert opened.encode_one("") == pytest.approx([0.6, 0.8, 0])


def test_vectors_of_an_embedder_without_a_name_are_not_kept(tmp_path: Path) -> None:
    with open_embedder(Own(), tmp_path) as opened:
        assert opened.identity == "Own"
        opened.encode_one("a")
    with open_embedder(Named(), tmp_path) as opened:
        opened.encode_one("a")
        assert opened._cache is not None
        assert opened._cache.size() == {"Named:words-2": 1}


class NamedFake(DeterministicFakeEmbedding):
    model: str = "fake-1"


@pytest.mark.parametrize(
    ("embedder", "identity"),
    [
        (DeterministicFakeEmbedding(size=8), "DeterministicFakeEmbedding"),
        (NamedFake(size=8), "NamedFake:fake-1"),
    ],
)
def test_embeddings_of_langchain(
    embedder: DeterministicFakeEmbedding, identity: str, tmp_path: Path
) -> None:
    with open_embedder(embedder, tmp_path) as opened:
        assert (opened.identity, opened.dimension) == (identity, 8)
        vectors = opened.encode_all(["Rome", "Paris"])
        expected = np.array(embedder.embed_documents(["Rome", "Paris"]))
        expected /= np.linalg.norm(expected, axis=1, keepdims=True)
        assert vectors == pytest.approx(expected, abs=1e-6)


class Wrong:
    def __init__(self, given: object) -> None:
        self.given = given

    def encode(self, texts: list[str]) -> object:
        return self.given


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([[1.0, 2.0]], r"shape \(1, 2\) for 2 texts, Wrong\nhint: it must be \(2, dimension\)"),
        ([1.0, 2.0], r"shape \(2,\) for 2 texts"),
        (None, r"shape \(\) for 2 texts"),
        ([[1.0], [1.0, 2.0]], "gave no array"),
        (np.full((2, 2), np.nan), "vectors with NaN or infinity"),
    ],
)
def test_an_embedder_that_gives_nonsense(given: object, said: str) -> None:
    with pytest.raises(EmbedderFailed, match=said):
        open_embedder(Wrong(given)).encode_all(["a", "b"])  # type: ignore[arg-type]


def test_no_embedder() -> None:
    with pytest.raises(EmbedderFailed, match="type int is no embedder"):
        open_embedder(7)  # type: ignore[arg-type]
