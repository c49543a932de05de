"""Reading files with a loader, for tests: what is written, then what comes of it."""

from __future__ import annotations

from pathlib import Path

from trustuqa_neo4j.loading.formats import File, ReadOptions, get_loader
from trustuqa_neo4j.model.facts import Fact, Item, NodeDeclared, SourceStart


def written(folder: Path, contents: dict[str, str | bytes]) -> list[File]:
    """Name → content as files of ``folder``, called by their names alone."""
    files = []
    for name, content in contents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        files.append(File(path, name))
    return files


def items(format_name: str, files: list[File], reading: ReadOptions | None = None) -> list[Item]:
    """All that the loader yields; each thing must come once and before the facts that use it."""
    found = list(get_loader(format_name).read(files, reading or ReadOptions()))
    used: set[str] = set()
    for item in found:
        if isinstance(item, Fact):
            used |= {item.head, item.tail}
        elif isinstance(item, NodeDeclared):
            assert item.key not in used, item
            used.add(item.key)
    assert not found or isinstance(found[0], SourceStart)
    return found


def facts(found: list[Item]) -> list[Fact]:
    """The facts among items."""
    return [item for item in found if isinstance(item, Fact)]


def things(found: list[Item]) -> dict[str, NodeDeclared]:
    """The things among items, by key."""
    return {item.key: item for item in found if isinstance(item, NodeDeclared)}


def parts(found: list[Item]) -> list[SourceStart]:
    """The parts among items."""
    return [item for item in found if isinstance(item, SourceStart)]
