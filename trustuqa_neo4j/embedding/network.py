"""Running a SentenceTransformer fast over short names: sorted by tokens, in bfloat16 where it pays.

Padding is what a plain ``encode`` loses most by: names have 3 to 18 tokens, and a batch is as long as its
longest. So all texts are tokenised once, sorted by their number of tokens and padded within their batch.

In bfloat16 run the linear layers alone. Sums along the layers, normalisation and pooling stay float32, as
type promotion has it; that costs little and changes half as many nearest neighbours as casting the whole
network does (0.6 % against 1.0 %). Eight-bit weights were rejected: they change 16 to 30 % of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from threading import Lock
from typing import Any

from .bert import Bert
from .extras import embeddings_extra
from .running import BATCH, Batch, Precision, Running, as_text, batches, encoding, opening

_PLAIN = ("Transformer", "Pooling", "Normalize")


def open_network(place: Path | str, running: Running) -> Bert | Network:
    """Open a folder, without asking a network for anything, or a name on the model hub.

    Raises:
        EmbedderFailed: unknown name, no network, broken files.
        MissingExtra: sentence-transformers is not installed.
    """
    bert = Bert.open(place, running) if isinstance(place, Path) else None
    return bert or Network.open(place, running)


class Network:
    """An open SentenceTransformer; ``precision`` says what was chosen."""

    def __init__(self, transformer: Any, place: str, running: Running) -> None:
        self._transformer = transformer
        self._place = place
        self._tokenising = Lock()  # tokenisers refuse a second thread: "Already borrowed"
        self._plain = _is_plain(transformer)
        self.precision = _precision(transformer, running) if self._plain else "float32"
        if self.precision == "bfloat16":
            _reduce(transformer[0])

    @classmethod
    def open(cls, place: Path | str, running: Running) -> Network:
        """Open a folder, without asking a network for anything, or a name on the model hub.

        Raises:
            EmbedderFailed: unknown name, no network, broken files.
            MissingExtra: sentence-transformers is not installed.
        """
        with embeddings_extra():
            from sentence_transformers import SentenceTransformer
        with opening(place), _no_bar():
            transformer = SentenceTransformer(
                str(place),
                device=running.chosen_device(),
                local_files_only=isinstance(place, Path),
            )
        return cls(transformer.eval(), str(place), running)

    @property
    def dimension(self) -> int:
        """Length of its vectors."""
        # Renamed in sentence-transformers 6; the old name warns there.
        named = getattr(self._transformer, "get_embedding_dimension", None)
        named = named or self._transformer.get_sentence_embedding_dimension
        return int(named())

    @property
    def revision(self) -> str:
        """``@`` and the hub's commit, or nothing where it is not known."""
        config = getattr(getattr(self._transformer[0], "auto_model", None), "config", None)
        commit = getattr(config, "_commit_hash", None)
        return f"@{commit[:12]}" if commit else ""

    def encode(self, texts: Sequence[str]) -> Iterator[Batch]:
        """Positions in ``texts`` and their vectors (n, dimension), the shortest texts first.

        Raises:
            EmbedderFailed: the network fails, for lack of memory for instance.
        """
        run = self._sorted if self._plain else self._as_it_comes
        with encoding(self._place):
            yield from run(as_text(texts))

    def _sorted(self, texts: Sequence[str]) -> Iterator[Batch]:
        import torch

        network = self._transformer
        limit = network.max_seq_length
        with self._tokenising:
            tokens = network.tokenizer(list(texts), truncation=True, max_length=limit)
        for indices in batches([len(ids) for ids in tokens["input_ids"]]):
            part = {key: [rows[i] for i in indices] for key, rows in tokens.items()}
            features = dict(network.tokenizer.pad(part, return_tensors="pt").to(network.device))
            # Not around the loop: the mode would leak into the caller between two batches.
            with torch.inference_mode():
                features = network[0](features)
                features["token_embeddings"] = features["token_embeddings"].float()
                for module in list(network)[1:]:
                    features = module(features)
                vectors = features["sentence_embedding"].float().cpu().numpy()
            yield Batch(indices, vectors)

    def _as_it_comes(self, texts: Sequence[str]) -> Iterator[Batch]:
        """Models with prompts, routers or no tokens: sentence-transformers knows what they need."""
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        for start in range(0, len(order), BATCH):
            indices = order[start : start + BATCH]
            vectors = self._transformer.encode(
                [texts[i] for i in indices], batch_size=BATCH // 4, show_progress_bar=False
            )
            yield Batch(indices, vectors)


def _is_plain(transformer: Any) -> bool:
    """Whether tokens → network → pooling is all there is to it, so that batches can be made here."""
    modules = list(transformer)
    return (
        type(modules[0]).__name__ == "Transformer"
        and all(type(module).__name__ in _PLAIN for module in modules)
        and bool(getattr(transformer.tokenizer, "is_fast", False))
        and not getattr(modules[0], "do_lower_case", False)
        and transformer.default_prompt_name is None
        and transformer.truncate_dim is None
    )


def _precision(transformer: Any, running: Running) -> Precision:
    if running.precision:
        return running.precision
    # Other architectures mix types where promotion does not help, as transformers 4 does in its masks.
    known = transformer[0].auto_model.config.model_type == "bert"
    recent = int(version("transformers").partition(".")[0]) >= 5
    return running.chosen_precision(transformer.device.type) if known and recent else "float32"


def _reduce(module: Any) -> None:
    """Linear layers in bfloat16, their input cast as it comes."""
    import torch

    for layer in module.modules():
        if isinstance(layer, torch.nn.Linear):
            layer.to(torch.bfloat16)
            layer.register_forward_pre_hook(
                lambda _, given: (given[0].to(torch.bfloat16), *given[1:])
            )


@contextmanager
def _no_bar() -> Iterator[None]:
    """Opening draws a bar over whatever the terminal shows; downloads still draw theirs."""
    from transformers.utils import logging as untyped

    logging: Any = untyped
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()
