"""Which model is opened, what it is called, and what is said when it cannot be."""

from __future__ import annotations

import json
import os
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


NEED = {"embeddings": "embeddings need", "sentence-transformers": "this embedding model needs"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(FOLDER, tmp_path / "mine"))


def test_the_default_is_known_by_its_name(encoder: Encoder) -> None:
    assert encoder.identity == "all-MiniLM-L6-v2"
    assert encoder.dimension == 384
    assert open_embedder("sentence-transformers/all-MiniLM-L6-v2").identity == encoder.identity
    assert open_embedder(device="cuda").identity == encoder.identity


def test_identity_needs_no_numpy() -> None:
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


@pytest.mark.parametrize(
    "damage",
    [
        lambda weights: weights[:100_000],
        lambda weights: b"",
        lambda weights: b"\0" * 1_000,
        lambda weights: weights.replace(b"layer.0.output.dense.weight", b"layer.0.output.dense.wrong_"),
        lambda weights: weights.replace(b'"shape":[1536]', b'"shape":[1537]'),
    ],
)  # fmt: skip
def test_broken_weights(folder: Path, damage: Callable[[bytes], bytes]) -> None:
    weights = folder / "model.safetensors"
    weights.write_bytes(damage(weights.read_bytes()))
    with pytest.raises(EmbedderFailed, match=r"cannot be opened: .*\nhint: save the model anew"):
        open_embedder(str(folder)).encode_one("a")


@pytest.mark.parametrize(
    "vocabulary", ["[]", '{"[UNK]": 0}', '{"[UNK]":0,"[CLS]":99999,"[SEP]":2}']
)
def test_a_broken_vocabulary(folder: Path, vocabulary: str) -> None:
    tokeniser = json.loads((folder / "tokenizer.json").read_text())
    tokeniser["model"]["vocab"] = json.loads(vocabulary)
    (folder / "tokenizer.json").write_text(json.dumps(tokeniser))
    with pytest.raises(EmbedderFailed, match=r"cannot be opened: .*\nhint: save the model anew"):
        open_embedder(str(folder)).encode_one("a")


class _Code:
    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, ...]:
        return Path.touch, (self.mark,)


@pytest.mark.long  # imports sentence-transformers
def test_weights_that_would_run_code(folder: Path, tmp_path: Path) -> None:
    import torch

    mark = tmp_path / "ran"
    (folder / "model.safetensors").unlink()
    torch.save({"weight": _Code(mark)}, folder / "pytorch_model.bin")
    with pytest.raises(EmbedderFailed, match=r"cannot be opened: .*\nhint: save the model anew"):
        open_embedder(str(folder)).encode_one("a")
    assert not mark.exists()


@pytest.mark.long  # imports sentence-transformers
def test_broken_folders(folder: Path) -> None:
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


@pytest.mark.parametrize("is_default", [True, False])
def test_a_plain_bert_runs_without_torch(is_default: bool, folder: Path) -> None:
    code = (
        "import sys; from trustuqa_neo4j.embedding import open_embedder\n"
        "assert open_embedder(*sys.argv[1:]).encode_one('a').shape == (384,)\n"
        "assert not {'torch', 'sentence_transformers', 'tokenizers'} & set(sys.modules)"
    )
    words = () if is_default else (str(folder),)
    subprocess.run([sys.executable, "-c", code, *words], check=True)


def test_a_processor_without_avx(encoder: Encoder) -> None:
    code = "from trustuqa_neo4j.embedding import open_embedder; print(*open_embedder().encode_one('Rome'))"
    old = {
        "OPENBLAS_CORETYPE": "Nehalem",
        "NPY_DISABLE_CPU_FEATURES": "AVX AVX2 FMA3 F16C AVX512F AVX512CD AVX512_SKX X86_V3 X86_V4",
    }
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        capture_output=True, text=True, env=os.environ | old,
    )  # fmt: skip
    vector = np.array(done.stdout.split(), float)
    assert vector == pytest.approx(encoder.encode_one("Rome"), abs=2e-6), done.stderr


@pytest.mark.parametrize("error", ["ImportError", "RuntimeError"])
def test_a_numpy_that_does_not_run_here(error: str, tmp_path: Path) -> None:
    reason = "NumPy was built with baseline optimizations: (X86_V2) but your machine does not support them"
    (tmp_path / "numpy").mkdir()
    (tmp_path / "numpy" / "__init__.py").write_text(f"raise {error}({reason!r})")
    code = LIGHT.format(missing="torch", model="")
    code = code.replace("import MissingExtra", "import EmbedderFailed as MissingExtra")
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True, text=True, env=os.environ | {"PYTHONPATH": str(tmp_path)},
    )  # fmt: skip
    assert done.stdout.startswith(f"numpy cannot be used on this machine: {reason}\nhint: "), (
        done.stderr
    )


@pytest.mark.long  # imports sentence-transformers
def test_the_first_token_as_sentence_transformers_has_it(folder: Path) -> None:
    from sentence_transformers import SentenceTransformer

    pooled(folder, "pooling_mode_cls_token")
    plain = SentenceTransformer(str(folder), device="cpu")
    plain.save(str(folder.with_name("saved")))  # what a folder says is written anew
    expected = plain.encode(["Neil Armstrong"], show_progress_bar=False)
    for place in (folder, folder.with_name("saved")):
        found = Bert.open(place)
        assert found is not None
        ((_, vectors),) = found.encode(["Neil Armstrong"])
        unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        assert unit == pytest.approx(expected, abs=5e-5)  # approximate activation


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
    assert Bert.open(folder) is not None
    change(folder)
    assert Bert.open(folder) is None


@pytest.mark.long  # imports sentence-transformers
def test_an_unknown_device() -> None:
    with pytest.raises(EmbedderFailed, match="cannot be opened"):
        open_embedder(device="abacus").encode_one("a")


@pytest.mark.parametrize(
    ("missing", "model", "extra"),
    [
        ("numpy", "", "embeddings"),
        ("safetensors", "", "embeddings"),
        ("threadpoolctl", "", "embeddings"),
        ("numpy", "Own()", "embeddings"),
        ("sentence_transformers", "'some/model'", "sentence-transformers"),
        (
            "sentence_transformers",
            "'sentence-transformers/all-MiniLM-L6-v2'",
            "sentence-transformers",
        ),
        ("sentence_transformers", "device='cuda'", "sentence-transformers"),
    ],
)
def test_the_extra_is_missing(missing: str, model: str, extra: str) -> None:
    code = LIGHT.format(missing=missing, model=model)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == (
        f"{NEED[extra]} the Python package '{missing}', which is not installed\n"
        f'hint: pip install "trustuqa-neo4j[{extra}]"\n'
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
    with pytest.raises(EmbedderFailed, match="type int is not an embedder"):
        open_embedder(7)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "content", "named"),
    [
        ("modules.json", '[{"idx": 0, "path": "", "type": "own_module.Own"}]', "own_module.Own"),
        ("inner/router_config.json", '{"types": {"query_0": "own_module.Own"}}', "own_module.Own"),
        ("own_module.py", "", "own_module.py"),
    ],
)
def test_a_folder_with_code_of_its_own_is_refused_before_it_runs(
    folder: Path, tmp_path: Path, name: str, content: str, named: str
) -> None:
    mark = tmp_path / "ran"
    code = f"open({str(mark)!r}, 'w').close()\nclass Own: pass\n"
    (folder / "inner").mkdir()
    if name != "own_module.py":
        (folder / name).write_text(content)
    (folder / "own_module.py").write_text(code)
    (folder / "model.safetensors").unlink(missing_ok=True)  # no plain BERT
    with pytest.raises(EmbedderFailed) as caught:
        open_embedder(str(folder)).encode_one("a")
    assert f"code of its own ({named})" in caught.value.what
    assert caught.value.where == str(folder)
    assert not mark.exists()
