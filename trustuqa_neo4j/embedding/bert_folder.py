"""``BertShape``: the parts of a BERT that its weights do not show, read from the folder of the model.

Only a folder that is exactly tokens → BERT → mean or first token has a shape. All others are for
sentence-transformers, which also reports problems of a folder.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .wordpiece import SPECIAL_TOKENS, WordPiece

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
