"""A SentenceTransformer run fast over short names: sorted by tokens, in bfloat16 where it pays.

Names have 3 to 18 tokens, and a batch is as long as its longest: a plain ``encode`` loses most by padding. So
all texts are tokenised once, sorted by their number of tokens and padded within their batch. Only the linear
layers run in bfloat16: that changes half as many nearest neighbours as a cast of the whole network (0.6 %
against 1.0 %) and costs little. Eight-bit weights would change 16 to 30 % of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from threading import Lock
from typing import Any

from ..errors import EmbedderFailed
from .inference import (
    MAX_BATCH_TEXTS,
    InferenceOptions,
    Precision,
    VectorBatch,
    convert_encode_errors,
    convert_open_errors,
    library_extra,
    make_batches,
    replace_surrogates,
)

_LIBRARY = "sentence_transformers."
_CODE = (".py", ".pyc", ".pyd", ".so")
_PLAIN = ("Transformer", "Pooling", "Normalize")


def refuse_own_code(folder: Path) -> None:
    """Refuse a folder with code of its own: some versions of the library run it without being asked.

    Raises:
        EmbedderFailed
    """
    code = next((path.name for path in folder.rglob("*") if path.suffix in _CODE), None)
    foreign = next((name for name in _read_classes(folder) if not name.startswith(_LIBRARY)), None)
    if code is not None or foreign is not None:
        raise EmbedderFailed(
            f"the model brings code of its own ({foreign or code}), which is not run",
            where=str(folder),
            hint="use a model whose parts are all of sentence_transformers, or in Python give an object "
            "with encode(texts)",
        )


def _read_classes(folder: Path) -> Iterator[str]:
    """The classes that the files of a model name: of its modules, and of those that a router chooses from."""
    for path in folder.rglob("*.json"):
        if path.name not in ("modules.json", "router_config.json"):
            continue
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            continue  # the library reports the problem
        if isinstance(content, list):
            yield from (str(entry.get("type")) for entry in content if isinstance(entry, dict))
        elif isinstance(content, dict) and isinstance(content.get("types"), dict):
            yield from map(str, content["types"].values())


class TransformerNetwork:
    def __init__(self, transformer: Any, place: str, options: InferenceOptions) -> None:
        self._transformer = transformer
        self._place = place
        self._tokeniser_lock = Lock()  # tokenisers refuse a second thread: "Already borrowed"
        self._is_plain = _is_plain(transformer)
        self.precision = _choose_precision(transformer, options) if self._is_plain else "float32"
        if self.precision == "bfloat16":
            _reduce_precision(transformer[0])

    @classmethod
    def open(cls, place: Path | str, options: InferenceOptions) -> TransformerNetwork:
        if isinstance(place, Path):
            refuse_own_code(place)
        with library_extra():
            from sentence_transformers import SentenceTransformer
        with convert_open_errors(place), _without_progress_bar():
            transformer = SentenceTransformer(
                str(place),
                device=options.choose_device(),
                local_files_only=isinstance(place, Path),
                trust_remote_code=False,
            )
        return cls(transformer.eval(), str(place), options)

    @property
    def dimension(self) -> int:
        # Renamed in sentence-transformers 6, where the old name causes a warning.
        method = getattr(self._transformer, "get_embedding_dimension", None)
        return int((method or self._transformer.get_sentence_embedding_dimension)())

    @property
    def revision(self) -> str:
        # ``@`` and the hub's commit; empty if it is not known.
        config = getattr(getattr(self._transformer[0], "auto_model", None), "config", None)
        commit = getattr(config, "_commit_hash", None)
        return f"@{commit[:12]}" if commit else ""

    def encode(self, texts: Sequence[str]) -> Iterator[VectorBatch]:
        # The shortest texts come first.
        encode = self._encode_sorted if self._is_plain else self._encode_with_library
        with convert_encode_errors(self._place):
            yield from encode(replace_surrogates(texts))

    def _encode_sorted(self, texts: Sequence[str]) -> Iterator[VectorBatch]:
        import torch

        network = self._transformer
        limit = network.max_seq_length
        with self._tokeniser_lock:
            tokens = network.tokenizer(list(texts), truncation=True, max_length=limit)
        for indices in make_batches([len(ids) for ids in tokens["input_ids"]]):
            part = {key: [rows[i] for i in indices] for key, rows in tokens.items()}
            features = dict(network.tokenizer.pad(part, return_tensors="pt").to(network.device))
            # Not around the loop: the mode would leak into the caller between two batches.
            with torch.inference_mode():
                features = network[0](features)
                features["token_embeddings"] = features["token_embeddings"].float()
                for module in list(network)[1:]:
                    features = module(features)
                vectors = features["sentence_embedding"].float().cpu().numpy()
            yield VectorBatch(indices, vectors)

    def _encode_with_library(self, texts: Sequence[str]) -> Iterator[VectorBatch]:
        # For models with prompts, routers or no tokens.
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        for start in range(0, len(order), MAX_BATCH_TEXTS):
            indices = order[start : start + MAX_BATCH_TEXTS]
            vectors = self._transformer.encode(
                [texts[i] for i in indices],
                batch_size=MAX_BATCH_TEXTS // 4,
                show_progress_bar=False,
            )
            yield VectorBatch(indices, vectors)


def _is_plain(transformer: Any) -> bool:
    # A model of just tokens → network → pooling takes batches that are made here.
    modules = list(transformer)
    return (
        type(modules[0]).__name__ == "Transformer"
        and all(type(module).__name__ in _PLAIN for module in modules)
        and bool(getattr(transformer.tokenizer, "is_fast", False))
        and not getattr(modules[0], "do_lower_case", False)
        and transformer.default_prompt_name is None
        and transformer.truncate_dim is None
    )


def _choose_precision(transformer: Any, options: InferenceOptions) -> Precision:
    if options.precision:
        return options.precision
    # Other architectures mix types where promotion does not help, as transformers 4 does in its masks.
    is_bert = transformer[0].auto_model.config.model_type == "bert"
    is_recent = int(version("transformers").partition(".")[0]) >= 5
    device = transformer.device.type
    return options.choose_precision(device) if is_bert and is_recent else "float32"


def _reduce_precision(module: Any) -> None:
    # Linear layers run in bfloat16; a hook casts their input.
    import torch

    for layer in module.modules():
        if isinstance(layer, torch.nn.Linear):
            layer.to(torch.bfloat16)
            layer.register_forward_pre_hook(
                lambda _, inputs: (inputs[0].to(torch.bfloat16), *inputs[1:])
            )


@contextmanager
def _without_progress_bar() -> Iterator[None]:
    # Opening would draw a bar over the terminal's content; downloads still draw theirs.
    from transformers.utils import logging as untyped

    logging: Any = untyped
    was_enabled = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if was_enabled:
            logging.enable_progress_bar()
