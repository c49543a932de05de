"""Loads of a file by the command, as somebody does who reads no documentation."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

_OPTION = re.compile(r"(--[a-z][a-z-]*)(?:[ =]('[^']*'|\"[^\"]*\"|[^\s,;]+))?")
_FLAGS = frozenset(("--replace", "--append", "--no-embeddings", "--no-class-labels", "--wait"))
_OTHER_PURPOSE = frozenset(("--dataset", "--source", "--uri", "--list", "--help", "--dry-run"))


@dataclass(frozen=True, slots=True)
class UserLoad:
    """A load; ``option`` is the hint that was followed, ``refusal`` the message if there is no dataset."""

    option: tuple[str, ...] = ()
    refusal: str = ""


def load_as_user(path: Path, dataset: str, home: Path) -> UserLoad:
    """Load a file without options, and once more with the option of the first hint if it is refused."""
    refusal = _run_load(path, dataset, home, ())
    option = find_option(refusal) if refusal else ()
    if not option:
        return UserLoad(refusal=refusal)
    return UserLoad(option, _run_load(path, dataset, home, option))


def _run_load(path: Path, dataset: str, home: Path, option: tuple[str, ...]) -> str:
    """Return the message of a refusal; empty if the file is loaded."""
    command = [str(Path(sys.executable).with_name("tuqa-load")), str(path), "--dataset", dataset]
    done = subprocess.run(
        [*command, "--no-embeddings", "--no-bulk", "--quiet", *option],
        capture_output=True,
        text=True,
        env=os.environ | {"TUQA_HOME": str(home)},
        check=False,
    )
    return done.stderr.strip() or f"exit code {done.returncode}" if done.returncode else ""


def find_option(message: str) -> tuple[str, ...]:
    """Return the first option in the first hint of a message with its value; empty if it has none to copy."""
    hint = next((line for line in message.splitlines() if line.startswith("hint:")), "")
    for match in _OPTION.finditer(hint):
        name, value = match.groups()
        if name in _OTHER_PURPOSE:
            continue
        if name in _FLAGS:
            return (name,)
        if value and not re.fullmatch(r"[A-Z]+(?:=[A-Z]+)?", value.rstrip(".:")):
            return (name, value.rstrip(".:").strip("'\""))
        return ()
    return ()
