"""Files of demonstrations, as ``tuqa demonstrations`` and ``tuqa-load`` read, store and tell of them."""

from __future__ import annotations

from dataclasses import asdict
from shlex import quote
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from ..errors import UnreadableFile
from .failing import let_in
from .progress import bars

if TYPE_CHECKING:
    from ..asking.recorded import Recorded
    from ..asking.teaching import Teaching
    from ..asking.verifying import Verified
    from ..graph.demonstrations import Written

Told = dict[str, dict[str, int]]
"""What became of demonstrations, by dataset."""


def read(file: BinaryIO, dataset: str | None) -> Recorded:
    """What a file of demonstrations holds, before anything is written.

    Raises:
        UnreadableFile, MalformedLine
    """
    from ..asking import recorded

    name = getattr(file, "name", "-")
    name = "standard input" if name in ("-", "<stdin>") else str(name)
    try:
        content = file.read()
    except OSError as error:
        hint = "give a file of JSON lines"
        raise UnreadableFile(error.strerror or str(error), where=name, hint=hint) from error
    found = recorded.read(content, name, dataset)
    if not found.total:
        hint = "each line is an object with question and query"
        raise UnreadableFile("there is no demonstration in it", where=name, hint=hint)
    return found


def store(
    teaching: Teaching,
    recorded: Recorded,
    *,
    quiet: bool,
    replace: bool = False,
    no_verify: bool = False,
    **running: Any,
) -> Told:
    """Store what a file holds, and run it unless that is not wished, as ``running`` says."""
    told = {}
    with bars(quiet) as progress:
        for dataset, given in recorded.by_dataset.items():
            written = teaching.store(dataset, given, overwrite=replace, progress=progress)
            done = None
            if not no_verify:
                let_in()
                done = teaching.verify(dataset, progress=progress, **running)
            told[dataset] = became(written, done)
    return told


def summary(dataset: str, told: dict[str, int]) -> str:
    """What became of demonstrations, in one line."""
    names = {
        "new": "new", "changed": "changed", "same": "there already", "kept": "kept as they were",
        "verified": "verified", "failed": "failed", "embedded": "patterns embedded",
    }  # fmt: skip
    said = [f"{told[name]:,} {words}" for name, words in names.items() if told.get(name)]
    return f"{dataset}: {', '.join(said) or 'nothing to run'}"


def became(written: Written | None, done: Verified | None) -> dict[str, int]:
    """How many were stored, and run, with which outcome."""
    return {
        **(asdict(written) if written is not None else {}),
        **(asdict(done) if done is not None else {}),
    }


def tell(told: Told, recorded: Recorded | None, as_json: bool) -> None:
    """Print what became of demonstrations, and of the file that they were read from."""
    from .drawing import json_of

    if as_json:
        passed = {} if recorded is None else {"repeated": recorded.repeated, **recorded.passed}
        click.echo(json_of({"datasets": told, "passed over": passed}, indent=2))
        return
    for dataset, each in told.items():
        click.echo(summary(dataset, each))
    if recorded is not None:
        remarks(recorded)
    for dataset, each in told.items():
        if each.get("failed"):
            click.echo(
                f"why they failed: tuqa demonstrations list --dataset {quote(dataset)} --state failed",
                err=True,
            )
        if each.get("kept"):
            hint = "verified ones have another query or other answers; --replace takes the new ones"
            click.echo(f"note: {each['kept']:,} {hint}", err=True)


def remarks(recorded: Recorded) -> None:
    """Say on stderr what a file holds that was passed over."""
    if recorded.repeated:
        click.echo(
            f"note: {recorded.repeated:,} lines repeat a question, the first counts", err=True
        )
    for reason, times in recorded.passed.items():
        click.echo(f"note: {times:,} lines passed over: {reason}", err=True)


def counted(count: int, what: str = "demonstration") -> str:
    """How many there are, in words."""
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"
