"""The map of the rooms in CONTRIBUTING.md, drawn from what the modules import."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "trustuqa_neo4j"


def read_room_imports() -> dict[str, set[str]]:
    """Room → rooms that its modules import; a room is a folder or a module of the package."""
    rooms: dict[str, set[str]] = defaultdict(set)
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        if parts == ("__init__",):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level == len(parts):
                names = [node.module] if node.module else [alias.name for alias in node.names]
                rooms[parts[0]] |= {name.split(".")[0] for name in names}
        rooms[parts[0]] |= set()
    return {room: (targets & rooms.keys()) - {room} for room, targets in rooms.items()}


def draw_map() -> str:
    """Draw the folders as a Mermaid chart; an arrow that others imply is left out."""
    graph = {
        room: {target for target in targets if (PACKAGE / target).is_dir()}
        for room, targets in read_room_imports().items()
        if (PACKAGE / room).is_dir()
    }
    reachable = {room: _find_reachable(graph, room) for room in graph}
    arrows = [
        f"    {room} --> {target}"
        for room, targets in sorted(graph.items())
        for target in sorted(targets - set().union(*(reachable[other] for other in targets)))
    ]
    return "\n".join(["```mermaid", "graph TD", *arrows, "```"])


def list_rooms() -> str:
    """Draw the table of the folders, with the first sentence of each."""
    rows = [
        f"| `{path.parent.name}/` | {_read_summary(path)} |"
        for path in sorted(PACKAGE.glob("*/__init__.py"))
    ]
    return "\n".join(["| room | contents |", "|---|---|", *rows])


def _find_reachable(graph: dict[str, set[str]], room: str) -> set[str]:
    reached: set[str] = set()
    waiting = [*graph[room]]
    while waiting:
        target = waiting.pop()
        if target not in reached:
            reached.add(target)
            waiting += graph[target]
    return reached


def _read_summary(path: Path) -> str:
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return docstring.partition("\n")[0].replace("``", "`")
