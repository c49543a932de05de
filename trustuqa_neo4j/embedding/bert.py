"""``Bert``: the forward pass of BERT in numpy, for folders that hold nothing else, such as the default model.

A batch has texts of the same number of tokens, so nothing is padded or masked, and its tokens are the rows of
one matrix. Small batches keep it in the cache of a core.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from .inference import (
    VectorBatch,
    convert_encode_errors,
    convert_open_errors,
    embeddings_extra,
    make_batches,
    replace_surrogates,
)
from .wordpiece import SPECIAL_TOKENS, WordPiece
from .workers import run_in_threads

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .inference import Vectors
    from .wordpiece import WordPiece

    _Linear: TypeAlias = tuple[Vectors, Vectors]  # weight (in, out) and bias

_BATCH_TOKENS = 1_024
_GELU_ROWS = 32  # rows of the widest matrix at a time
# Φ(x) = 1 / (1 + exp(x · (a + b·x² + c·x⁴))), fitted for the least error of x · Φ(x): 2.6e-5. The exact
# function takes two thirds longer, and finds the same neighbours for 99.99 % of names.
_GELU = (-1.5950157, -0.0740113232, 0.000703038082)
_GELU_LIMIT = 50  # of x²: above, Φ is 0 or 1, and the polynomial turns back


class Bert:
    def __init__(self, place: str, tokeniser: WordPiece, network: _Network) -> None:
        self._place = place
        self._tokeniser = tokeniser
        self._network = network

    @classmethod
    def open(cls, folder: Path) -> Bert | None:
        # None if the folder is not exactly such a model.
        shape = read_shape(folder)
        if shape is None:
            return None
        with embeddings_extra():
            from safetensors.numpy import load_file
        with convert_open_errors(folder):
            weights = load_file(folder / WEIGHTS_FILE)
            if not _has_layers(weights, shape):
                return None
            network = _make_network(weights, shape)
            tokeniser = read_tokeniser(folder, shape)
            _check_sizes(network, tokeniser, shape)
            return cls(str(folder), tokeniser, network)

    @property
    def dimension(self) -> int:
        return self._network.dimension

    def encode(self, texts: Sequence[str]) -> Iterator[VectorBatch]:
        # The shortest texts come first.
        with convert_encode_errors(self._place):
            tokens = self._tokeniser.encode_all(replace_surrogates(texts))
            lengths = [len(ids) for ids in tokens]
            batches = list(make_batches(lengths, same_length=True, max_tokens=_BATCH_TOKENS))
            yield from run_in_threads(partial(self._encode_batch, tokens), batches)

    def _encode_batch(self, tokens: Sequence[Sequence[int]], indices: list[int]) -> VectorBatch:
        import numpy as np

        return VectorBatch(indices, self._network.run(np.array([tokens[i] for i in indices])))


@dataclass(frozen=True)
class _Layer:
    # Query, key and value are multiplied at once.
    attention: _Linear
    attention_output: _Linear
    attention_norm: _Linear
    intermediate: _Linear
    output: _Linear
    output_norm: _Linear


@dataclass(frozen=True)
class _Network:
    word_embeddings: Vectors
    position_embeddings: Vectors
    norm: _Linear
    layers: Sequence[_Layer]
    heads: int
    epsilon: float
    uses_first_token: bool

    @property
    def dimension(self) -> int:
        return int(self.word_embeddings.shape[1])

    def run(self, tokens: NDArray[np.int64]) -> Vectors:
        # (texts, tokens) → (texts, dimension).
        texts, length = tokens.shape
        states = self.word_embeddings[tokens] + self.position_embeddings[:length]
        states = self._normalize(states.reshape(texts * length, -1), self.norm)
        for layer in self.layers:
            mixed = self._attend(layer, states, texts)
            states = self._normalize(mixed + states, layer.attention_norm)
            wide = _apply_gelu(_apply_linear(states, layer.intermediate))
            states = self._normalize(_apply_linear(wide, layer.output) + states, layer.output_norm)
        states = states.reshape(texts, length, -1)
        pooled: Vectors = states[:, 0] if self.uses_first_token else states.mean(1)
        return pooled

    def _attend(self, layer: _Layer, states: Vectors, texts: int) -> Vectors:
        import numpy as np

        parts = _apply_linear(states, layer.attention)
        parts = parts.reshape(texts, -1, 3, self.heads, self.dimension // self.heads)
        query, key, value = parts.transpose(2, 0, 3, 1, 4)
        scores = query @ key.swapaxes(2, 3)
        scores -= scores.max(-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(-1, keepdims=True)
        mixed = (scores @ value).transpose(0, 2, 1, 3).reshape(states.shape)
        return _apply_linear(mixed, layer.attention_output)

    def _normalize(self, states: Vectors, norm: _Linear) -> Vectors:
        import numpy as np

        centred: Vectors = states - states.mean(1, keepdims=True)
        variance = np.einsum("td,td->t", centred, centred)[:, None] / np.float32(self.dimension)
        centred /= np.sqrt(variance + np.float32(self.epsilon))
        centred *= norm[0]
        centred += norm[1]
        return centred


def _apply_linear(states: Vectors, weights: _Linear) -> Vectors:
    result: Vectors = states @ weights[0]
    result += weights[1]
    return result


def _apply_gelu(states: Vectors) -> Vectors:
    # x · Φ(x), in place.
    import numpy as np

    first, second, third = map(np.float32, _GELU)
    for start in range(0, len(states), _GELU_ROWS):
        rows = states[start : start + _GELU_ROWS]
        square = rows * rows
        np.minimum(square, np.float32(_GELU_LIMIT), out=square)
        exponent = square * third
        exponent += second
        exponent *= square
        exponent += first
        exponent *= rows
        with np.errstate(over="ignore"):  # infinity: the result is 0
            np.exp(exponent, out=exponent)
        exponent += np.float32(1)
        rows /= exponent
    return states


def _has_layers(weights: Mapping[str, Vectors], shape: BertShape) -> bool:
    last = f"encoder.layer.{shape.layers - 1}.output.LayerNorm.weight"
    excess = f"encoder.layer.{shape.layers}.output.LayerNorm.weight"
    return (
        "embeddings.word_embeddings.weight" in weights and last in weights and excess not in weights
    )


def _check_sizes(network: _Network, tokeniser: WordPiece, shape: BertShape) -> None:
    # Raises ValueError. Matrices that do not fit each other fail on the first text.
    import numpy as np

    words, positions = len(network.word_embeddings), len(network.position_embeddings)
    if tokeniser.last_id >= words:
        raise ValueError(
            f"the tokeniser has the token {tokeniser.last_id:,}, the weights {words:,}"
        )
    if shape.max_tokens > positions:
        raise ValueError(f"texts have {shape.max_tokens:,} tokens, the weights {positions:,}")
    network.run(np.array([tokeniser.encode("")]))


def _make_network(weights: Mapping[str, Vectors], shape: BertShape) -> _Network:
    # By the names that BERT gives the weights.
    import numpy as np

    def tensor(name: str) -> Vectors:
        return weights[name].astype(np.float32, copy=False)

    def norm(name: str) -> _Linear:
        return tensor(f"{name}.weight"), tensor(f"{name}.bias")

    def linear(*names: str) -> _Linear:
        weight = np.concatenate([tensor(f"{name}.weight") for name in names])
        bias = np.concatenate([tensor(f"{name}.bias") for name in names])
        return np.ascontiguousarray(weight.T), bias

    def layer(name: str) -> _Layer:
        attention = f"{name}.attention.self"
        weight, bias = linear(*(f"{attention}.{part}" for part in ("query", "key", "value")))
        # Scores are divided by the root of a head's width: here, once.
        width = len(weight)
        root = np.float32((width // shape.heads) ** 0.5)
        weight[:, :width] /= root
        bias[:width] /= root
        return _Layer(
            attention=(weight, bias),
            attention_output=linear(f"{name}.attention.output.dense"),
            attention_norm=norm(f"{name}.attention.output.LayerNorm"),
            intermediate=linear(f"{name}.intermediate.dense"),
            output=linear(f"{name}.output.dense"),
            output_norm=norm(f"{name}.output.LayerNorm"),
        )

    token_types = tensor("embeddings.token_type_embeddings.weight")
    return _Network(
        word_embeddings=tensor("embeddings.word_embeddings.weight"),
        # All tokens are of the first type: there is one text, not a pair.
        position_embeddings=tensor("embeddings.position_embeddings.weight") + token_types[0],
        norm=norm("embeddings.LayerNorm"),
        layers=[layer(f"encoder.layer.{i}") for i in range(shape.layers)],
        heads=shape.heads,
        epsilon=shape.epsilon,
        uses_first_token=shape.uses_first_token,
    )


# ``BertShape``: the parts of a BERT that its weights do not show, read from the folder of the model.
#
# Only a folder that is exactly tokens → BERT → mean or first token has a shape. All others are for
# sentence-transformers, which also reports problems of a folder.


WEIGHTS_FILE, TOKENISER_FILE = "model.safetensors", "tokenizer.json"
_MODULES = (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"])


@dataclass(frozen=True)
class BertShape:
    heads: int
    layers: int
    epsilon: float
    max_tokens: int
    uses_first_token: bool  # instead of the mean of all
    lower: bool  # letters become small
    strip_accents: bool


def read_shape(folder: Path) -> BertShape | None:
    # None if it is not a plain BERT, or cannot be read.
    try:
        return _read_shape(folder)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None  # sentence-transformers reports the problem


def _read_shape(folder: Path) -> BertShape | None:
    def read(name: str) -> Any:
        path = folder / name
        return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}

    modules = json.loads((folder / "modules.json").read_text(encoding="utf-8"))
    if [module["type"].rpartition(".")[2] for module in modules] not in _MODULES:
        return None
    transformer = folder / modules[0]["path"]
    config, own = read("config.json"), read("sentence_bert_config.json")
    pooling = _read_pooling(read(f"{modules[1]['path']}/config.json"))
    tokens, tokeniser = read("tokenizer_config.json"), read(TOKENISER_FILE)
    if (
        transformer != folder
        or pooling is None
        or not _is_plain(config, own, read("config_sentence_transformers.json"))
        or not _is_consistent(tokens, tokeniser)
        or not (folder / WEIGHTS_FILE).is_file()
        or (folder / "adapter_config.json").exists()
    ):
        return None
    normaliser = tokeniser["normalizer"]
    accents = normaliser["strip_accents"]
    max_tokens = own.get("max_seq_length") or tokens["model_max_length"]
    return BertShape(
        heads=config["num_attention_heads"],
        layers=config["num_hidden_layers"],
        epsilon=config["layer_norm_eps"],
        max_tokens=min(max_tokens, config["max_position_embeddings"]),
        uses_first_token=pooling == "cls",
        lower=normaliser["lowercase"],
        strip_accents=normaliser["lowercase"] if accents is None else accents,
    )


def read_tokeniser(folder: Path, shape: BertShape) -> WordPiece:
    text = (folder / TOKENISER_FILE).read_text(encoding="utf-8")
    return WordPiece(
        json.loads(text)["model"]["vocab"],
        shape.max_tokens,
        lower=shape.lower,
        strip_accents=shape.strip_accents,
    )


def _read_pooling(config: Mapping[str, Any]) -> str | None:
    # Older versions wrote a boolean for each; None for other kinds of pooling.
    modes = {name for name, on in config.items() if name.startswith("pooling_mode_") and on is True}
    if modes:
        return {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls"}.get(
            modes.pop() if len(modes) == 1 else ""
        )
    mode = config.get("pooling_mode")
    return mode if mode in ("mean", "cls") else None


def _is_plain(config: Mapping[str, Any], own: Mapping[str, Any], whole: Mapping[str, Any]) -> bool:
    return (
        config["model_type"] == "bert"
        and config["hidden_act"] == "gelu"
        and config.get("position_embedding_type", "absolute") == "absolute"
        and not config.get("is_decoder")
        and not own.get("do_lower_case")
        and own.get("transformer_task", "feature-extraction") == "feature-extraction"
        and own.get("module_output_name", "token_embeddings") == "token_embeddings"
        and whole.get("default_prompt_name") is None
        and whole.get("truncate_dim") is None
    )


def _is_consistent(tokens: Mapping[str, Any], tokeniser: Mapping[str, Any]) -> bool:
    # The tokeniser's file has priority over its configuration, so both must agree.
    normaliser, model = tokeniser["normalizer"], tokeniser["model"]
    return (
        normaliser["type"] == "BertNormalizer"
        and normaliser["clean_text"]
        and normaliser["handle_chinese_chars"]
        and tokeniser["pre_tokenizer"]["type"] == "BertPreTokenizer"
        and (model["type"], model["continuing_subword_prefix"]) == ("WordPiece", "##")
        and all(token["content"] in SPECIAL_TOKENS for token in tokeniser["added_tokens"])
        and (
            normaliser["lowercase"],
            normaliser["strip_accents"],
            normaliser["handle_chinese_chars"],
        )
        == (
            tokens.get("do_lower_case", True),
            tokens.get("strip_accents"),
            tokens.get("tokenize_chinese_chars", True),
        )
    )
