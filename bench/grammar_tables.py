"""Writes the tables of the grammar: ``python -m bench.grammar_tables`` after a change of ``grammar.lark``.

They are a module of plain values, which Python compiles once. A cache of lark would be a pickle, and whoever
can write it would run code.
"""

from __future__ import annotations

from pathlib import Path
from pprint import pformat

from trustuqa_neo4j.language import parser

TARGET = Path(parser.__file__).with_name("grammar_tables.py")
_HEAD = '''"""The tables of ``grammar.lark``, written by ``python -m bench.grammar_tables``."""

from typing import Any

TABLES: Any = '''


def write_tables() -> str:
    return f"{_HEAD}{pformat(parser.compute_tables(), width=98, compact=True)}\n"


if __name__ == "__main__":
    TARGET.write_text(write_tables(), encoding="utf-8")
