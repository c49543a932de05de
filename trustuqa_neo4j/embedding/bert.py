"""The network of BERT itself, for folders that hold nothing else, the default model among them.

Of sentence-transformers such a model needs what stands here, and importing all of it takes three times
as long as torch alone (9 of 12 seconds where no bytecode is kept). So a folder is looked at first: what is
exactly tokens → BERT → mean or first token is run here, with the same vectors but for the rounding;
anything else goes the long way (``network``), which also says what is wrong with a folder.

Texts of one batch have the same number of tokens. Nothing is padded, so nothing need be masked.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .extras import embeddings_extra
from .running import Batch, Precision, Running, as_text, batches, encoding, opening

if TYPE_CHECKING:
    from torch import Tensor

_MODULES = (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"])
_WEIGHTS, _TOKENISER = "model.safetensors", "tokenizer.json"


@dataclass(frozen=True)
class Shape:
    """What of a BERT its weights do not tell; ``first`` takes the first token's vector, not the mean."""

    heads: int
    layers: int
    epsilon: float
    longest: int
    first: bool


class Bert:
    """An open model; ``precision`` says how its linear layers run."""

    revision = ""

    def __init__(self, folder: Path, shape: Shape, weights: _Weights, running: Running) -> None:
        import torch
        from tokenizers import Tokenizer

        self._place = str(folder)
        self._device = running.chosen_device()
        self.precision: Precision = running.chosen_precision(self._device)
        reduced = torch.bfloat16 if self.precision == "bfloat16" else torch.float32
        self._shape = shape
        self._network = weights.network(shape, self._device, reduced)
        self._tokeniser: Any = Tokenizer.from_file(str(folder / _TOKENISER))
        self._tokeniser.no_padding()
        self._tokeniser.enable_truncation(shape.longest)

    @classmethod
    def open(cls, folder: Path, running: Running) -> Bert | None:
        """Open a folder; None if it is to be opened the long way.

        Raises:
            EmbedderFailed: broken weights, or no such device.
            MissingExtra: torch is not installed.
        """
        shape = shape_of(folder)
        if shape is None:
            return None
        with embeddings_extra():
            from safetensors.torch import load_file
        with opening(folder):
            weights = _Weights(load_file(folder / _WEIGHTS))
            return cls(folder, shape, weights, running) if weights.fit(shape) else None

    @property
    def dimension(self) -> int:
        """Length of its vectors."""
        return self._network.dimension

    def encode(self, texts: Sequence[str]) -> Iterator[Batch]:
        """Positions in ``texts`` and their vectors (n, dimension), the shortest texts first.

        Raises:
            EmbedderFailed: the network fails, for lack of memory for instance.
        """
        import torch

        with encoding(self._place):
            tokens = [found.ids for found in self._tokeniser.encode_batch(as_text(texts))]
            for indices in batches([len(ids) for ids in tokens], alike=True):
                ids = torch.tensor([tokens[i] for i in indices], device=self._device)
                # Not around the loop: the mode would leak into the caller between two batches.
                with torch.inference_mode():
                    found = self._network.run(ids)
                    vectors = found[:, 0] if self._shape.first else found.mean(1)
                    yielded = vectors.cpu().numpy()
                yield Batch(indices, yielded)


@dataclass(frozen=True)
class _Layer:
    """The weights of one layer; query, key and value are multiplied at once."""

    attended: tuple[Tensor, Tensor]
    joined: tuple[Tensor, Tensor]
    norm: tuple[Tensor, Tensor]
    widened: tuple[Tensor, Tensor]
    narrowed: tuple[Tensor, Tensor]
    last_norm: tuple[Tensor, Tensor]


@dataclass(frozen=True)
class _Network:
    """Tokens → a vector for each; linear layers in the precision of their weights, the rest in float32."""

    words: Tensor
    places: Tensor
    norm: tuple[Tensor, Tensor]
    layers: Sequence[_Layer]
    heads: int
    epsilon: float

    @property
    def dimension(self) -> int:
        return int(self.words.shape[1])

    def run(self, tokens: Tensor) -> Tensor:
        """(texts, tokens) → (texts, tokens, dimension)."""
        found = self._normal(self.words[tokens] + self.places[: tokens.shape[1]], self.norm)
        for layer in self.layers:
            found = self._normal(found + self._attention(layer, found), layer.norm)
            found = self._normal(found + self._thought(layer, found), layer.last_norm)
        return found

    def _attention(self, layer: _Layer, found: Tensor) -> Tensor:
        from torch.nn import functional

        texts, tokens, dimension = found.shape
        parts = _linear(found, layer.attended).view(texts, tokens, 3, self.heads, -1)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(query, key, value)
        return _linear(mixed.transpose(1, 2).reshape(texts, tokens, dimension), layer.joined)

    def _thought(self, layer: _Layer, found: Tensor) -> Tensor:
        from torch.nn import functional

        return _linear(functional.gelu(_linear(found, layer.widened)), layer.narrowed)

    def _normal(self, found: Tensor, norm: tuple[Tensor, Tensor]) -> Tensor:
        from torch.nn import functional

        return functional.layer_norm(found, (self.dimension,), *norm, eps=self.epsilon)


def _linear(found: Tensor, weights: tuple[Tensor, Tensor]) -> Tensor:
    from torch.nn import functional

    weight, bias = weights
    return functional.linear(found.to(weight.dtype), weight, bias)


class _Weights:
    """The weights in a file, by the names that BERT gives them."""

    def __init__(self, tensors: Mapping[str, Tensor]) -> None:
        self._tensors = tensors

    def fit(self, shape: Shape) -> bool:
        """Whether all that ``shape`` asks for is there."""
        last = f"encoder.layer.{shape.layers - 1}.output.LayerNorm.weight"
        more = f"encoder.layer.{shape.layers}.output.LayerNorm.weight"
        return (
            "embeddings.word_embeddings.weight" in self._tensors
            and last in self._tensors
            and more not in self._tensors
        )

    def network(self, shape: Shape, device: str, reduced: Any) -> _Network:
        """The network, its linear layers in the precision ``reduced``."""
        import torch

        def of(name: str, precision: Any = torch.float32) -> Tensor:
            return self._tensors[name].to(device, precision)

        def both(name: str, precision: Any = torch.float32) -> tuple[Tensor, Tensor]:
            return of(f"{name}.weight", precision), of(f"{name}.bias", precision)

        def layer(name: str) -> _Layer:
            three = [both(f"{name}.attention.self.{n}", reduced) for n in ("query", "key", "value")]
            return _Layer(
                attended=(torch.cat([w for w, _ in three]), torch.cat([b for _, b in three])),
                joined=both(f"{name}.attention.output.dense", reduced),
                norm=both(f"{name}.attention.output.LayerNorm"),
                widened=both(f"{name}.intermediate.dense", reduced),
                narrowed=both(f"{name}.output.dense", reduced),
                last_norm=both(f"{name}.output.LayerNorm"),
            )

        kinds = of("embeddings.token_type_embeddings.weight")
        return _Network(
            words=of("embeddings.word_embeddings.weight"),
            # All tokens are of the first kind: there is one text, not a pair of them.
            places=of("embeddings.position_embeddings.weight") + kinds[0],
            norm=both("embeddings.LayerNorm"),
            layers=[layer(f"encoder.layer.{i}") for i in range(shape.layers)],
            heads=shape.heads,
            epsilon=shape.epsilon,
        )


def shape_of(folder: Path) -> Shape | None:
    """What a folder says of its model; None where that is no plain BERT, or cannot be read."""
    try:
        return _shape(folder)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None  # the long way tells what is wrong


def _shape(folder: Path) -> Shape | None:
    def said(name: str) -> Any:
        path = folder / name
        return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}

    modules = json.loads((folder / "modules.json").read_text(encoding="utf-8"))
    if [module["type"].rpartition(".")[2] for module in modules] not in _MODULES:
        return None
    transformer = folder / modules[0]["path"]
    config, own = said("config.json"), said("sentence_bert_config.json")
    pooling = _pooling(said(f"{modules[1]['path']}/config.json"))
    tokens, tokeniser = said("tokenizer_config.json"), said(_TOKENISER)
    if (
        transformer != folder
        or pooling is None
        or not _is_plain(config, own, said("config_sentence_transformers.json"))
        or not _is_lowered_alike(tokens, tokeniser["normalizer"])
        or not (folder / _WEIGHTS).is_file()
        or (folder / "adapter_config.json").exists()
    ):
        return None
    longest = own.get("max_seq_length") or tokens["model_max_length"]
    return Shape(
        heads=config["num_attention_heads"],
        layers=config["num_hidden_layers"],
        epsilon=config["layer_norm_eps"],
        longest=min(longest, config["max_position_embeddings"]),
        first=pooling == "cls",
    )


def _pooling(config: Mapping[str, Any]) -> str | None:
    """``mean`` or ``cls``; None for others. Older versions wrote a truth value for each."""
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


def _is_lowered_alike(tokens: Mapping[str, Any], normaliser: Mapping[str, Any]) -> bool:
    """Whether the tokeniser's file does what its configuration asks for, which is what is obeyed."""
    return normaliser["type"] == "BertNormalizer" and (
        normaliser["lowercase"],
        normaliser["strip_accents"],
        normaliser["handle_chinese_chars"],
    ) == (
        tokens.get("do_lower_case", True),
        tokens.get("strip_accents"),
        tokens.get("tokenize_chinese_chars", True),
    )
