"""``Bert``: the forward pass of BERT, for folders that hold nothing else, such as the default model.

Importing sentence-transformers takes three times as long as torch alone (9 of 12 seconds without bytecode).
A folder that is exactly tokens → BERT → mean or first token runs here, with the same vectors but rounding;
any other goes to ``sentence_transformer``, which also reports problems of a folder. Texts of one batch have
the same number of tokens, so nothing is padded or masked.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from .inference import (
    InferenceOptions,
    Precision,
    VectorBatch,
    convert_encode_errors,
    convert_open_errors,
    embeddings_extra,
    make_batches,
    replace_surrogates,
)

if TYPE_CHECKING:
    from torch import Tensor

    _Linear: TypeAlias = tuple[Tensor, Tensor]  # weight and bias

_MODULES = (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"])
_WEIGHTS_FILE, _TOKENISER_FILE = "model.safetensors", "tokenizer.json"


@dataclass(frozen=True)
class BertShape:
    # The weights do not show these parts.
    heads: int
    layers: int
    epsilon: float
    max_tokens: int
    uses_first_token: bool  # instead of the mean of all


class Bert:
    revision = ""

    def __init__(
        self, folder: Path, shape: BertShape, weights: _Weights, options: InferenceOptions
    ) -> None:
        import torch
        from tokenizers import Tokenizer

        self._place = str(folder)
        self._device = options.choose_device()
        self.precision: Precision = options.choose_precision(self._device)
        reduced = torch.bfloat16 if self.precision == "bfloat16" else torch.float32
        self._shape = shape
        self._network = weights.network(shape, self._device, reduced)
        self._tokeniser: Any = Tokenizer.from_file(str(folder / _TOKENISER_FILE))
        self._tokeniser.no_padding()
        self._tokeniser.enable_truncation(shape.max_tokens)

    @classmethod
    def open(cls, folder: Path, options: InferenceOptions) -> Bert | None:
        # None if the folder is not exactly such a model.
        shape = read_shape(folder)
        if shape is None:
            return None
        with embeddings_extra():
            from safetensors.torch import load_file
        with convert_open_errors(folder):
            weights = _Weights(load_file(folder / _WEIGHTS_FILE))
            return cls(folder, shape, weights, options) if weights.has_layers(shape) else None

    @property
    def dimension(self) -> int:
        return self._network.dimension

    def encode(self, texts: Sequence[str]) -> Iterator[VectorBatch]:
        # The shortest texts come first.
        import torch

        with convert_encode_errors(self._place):
            tokens = [
                encoded.ids for encoded in self._tokeniser.encode_batch(replace_surrogates(texts))
            ]
            for indices in make_batches([len(ids) for ids in tokens], same_length=True):
                ids = torch.tensor([tokens[i] for i in indices], device=self._device)
                # Not around the loop: the mode would leak into the caller between two batches.
                with torch.inference_mode():
                    states = self._network.run(ids)
                    pooled = states[:, 0] if self._shape.uses_first_token else states.mean(1)
                    vectors = pooled.cpu().numpy()
                yield VectorBatch(indices, vectors)


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
    # Linear layers have the precision of their weights, the rest float32.
    word_embeddings: Tensor
    position_embeddings: Tensor
    norm: _Linear
    layers: Sequence[_Layer]
    heads: int
    epsilon: float

    @property
    def dimension(self) -> int:
        return int(self.word_embeddings.shape[1])

    def run(self, tokens: Tensor) -> Tensor:
        # (texts, tokens) → (texts, tokens, dimension).
        positions = self.position_embeddings[: tokens.shape[1]]
        states = self._normalize(self.word_embeddings[tokens] + positions, self.norm)
        for layer in self.layers:
            states = self._normalize(states + self._attend(layer, states), layer.attention_norm)
            states = self._normalize(states + self._feed_forward(layer, states), layer.output_norm)
        return states

    def _attend(self, layer: _Layer, states: Tensor) -> Tensor:
        from torch.nn import functional

        texts, tokens, dimension = states.shape
        parts = _apply_linear(states, layer.attention).view(texts, tokens, 3, self.heads, -1)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(query, key, value)
        mixed = mixed.transpose(1, 2).reshape(texts, tokens, dimension)
        return _apply_linear(mixed, layer.attention_output)

    def _feed_forward(self, layer: _Layer, states: Tensor) -> Tensor:
        from torch.nn import functional

        wide = functional.gelu(_apply_linear(states, layer.intermediate))
        return _apply_linear(wide, layer.output)

    def _normalize(self, states: Tensor, norm: _Linear) -> Tensor:
        from torch.nn import functional

        return functional.layer_norm(states, (self.dimension,), *norm, eps=self.epsilon)


def _apply_linear(states: Tensor, weights: _Linear) -> Tensor:
    from torch.nn import functional

    weight, bias = weights
    return functional.linear(states.to(weight.dtype), weight, bias)


class _Weights:
    # By the names that BERT gives them.
    def __init__(self, tensors: Mapping[str, Tensor]) -> None:
        self._tensors = tensors

    def has_layers(self, shape: BertShape) -> bool:
        last = f"encoder.layer.{shape.layers - 1}.output.LayerNorm.weight"
        excess = f"encoder.layer.{shape.layers}.output.LayerNorm.weight"
        return (
            "embeddings.word_embeddings.weight" in self._tensors
            and last in self._tensors
            and excess not in self._tensors
        )

    def network(self, shape: BertShape, device: str, reduced: Any) -> _Network:
        # ``reduced`` is the precision of the linear layers.
        import torch

        def tensor(name: str, precision: Any = torch.float32) -> Tensor:
            return self._tensors[name].to(device, precision)

        def linear(name: str, precision: Any = torch.float32) -> _Linear:
            return tensor(f"{name}.weight", precision), tensor(f"{name}.bias", precision)

        def layer(name: str) -> _Layer:
            parts = [
                linear(f"{name}.attention.self.{part}", reduced)
                for part in ("query", "key", "value")
            ]
            return _Layer(
                attention=(torch.cat([w for w, _ in parts]), torch.cat([b for _, b in parts])),
                attention_output=linear(f"{name}.attention.output.dense", reduced),
                attention_norm=linear(f"{name}.attention.output.LayerNorm"),
                intermediate=linear(f"{name}.intermediate.dense", reduced),
                output=linear(f"{name}.output.dense", reduced),
                output_norm=linear(f"{name}.output.LayerNorm"),
            )

        token_types = tensor("embeddings.token_type_embeddings.weight")
        return _Network(
            word_embeddings=tensor("embeddings.word_embeddings.weight"),
            # All tokens are of the first type: there is one text, not a pair.
            position_embeddings=tensor("embeddings.position_embeddings.weight") + token_types[0],
            norm=linear("embeddings.LayerNorm"),
            layers=[layer(f"encoder.layer.{i}") for i in range(shape.layers)],
            heads=shape.heads,
            epsilon=shape.epsilon,
        )


def read_shape(folder: Path) -> BertShape | None:
    # None if it is no plain BERT, or cannot be read.
    try:
        return _read_shape(folder)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None  # sentence_transformer reports the problem


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
    tokens, tokeniser = read("tokenizer_config.json"), read(_TOKENISER_FILE)
    if (
        transformer != folder
        or pooling is None
        or not _is_plain(config, own, read("config_sentence_transformers.json"))
        or not _is_consistent(tokens, tokeniser["normalizer"])
        or not (folder / _WEIGHTS_FILE).is_file()
        or (folder / "adapter_config.json").exists()
    ):
        return None
    max_tokens = own.get("max_seq_length") or tokens["model_max_length"]
    return BertShape(
        heads=config["num_attention_heads"],
        layers=config["num_hidden_layers"],
        epsilon=config["layer_norm_eps"],
        max_tokens=min(max_tokens, config["max_position_embeddings"]),
        uses_first_token=pooling == "cls",
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


def _is_consistent(tokens: Mapping[str, Any], normaliser: Mapping[str, Any]) -> bool:
    # The tokeniser's file has priority over its configuration, so both must agree.
    return normaliser["type"] == "BertNormalizer" and (
        normaliser["lowercase"],
        normaliser["strip_accents"],
        normaliser["handle_chinese_chars"],
    ) == (
        tokens.get("do_lower_case", True),
        tokens.get("strip_accents"),
        tokens.get("tokenize_chinese_chars", True),
    )
