"""Declarations as JSON lines: what a source declares of a class or a relation, an object each.

A class has lists of names, a relation lists of such lists, for which CSV has no form. What is empty is left
out.
"""

from __future__ import annotations

import json
from typing import Any

from ..triples import ClassDeclared, Declared, RelationDeclared

_FORMS: dict[str, type[ClassDeclared] | type[RelationDeclared]] = {
    "class": ClassDeclared,
    "relation": RelationDeclared,
}


def to_line(source: str, declared: Declared) -> str:
    """A declaration as a line."""
    what = "class" if isinstance(declared, ClassDeclared) else "relation"
    given = {k: v for k, v in declared._asdict().items() if k != "name" and v not in ((), "", None)}
    said = {"source": source, what: declared.name, **given}
    return json.dumps(said, ensure_ascii=False) + "\n"


def of_line(line: str) -> tuple[str, Declared]:
    """The source that declares, and what.

    Raises:
        ValueError: it is no declaration; says why.
    """
    given = json.loads(line)
    if not isinstance(given, dict):
        raise ValueError("no object")
    what = next((what for what in _FORMS if what in given), None)
    if what is None:
        raise ValueError("neither a class nor a relation")
    source, name = given.pop("source", None), given.pop(what)
    form = _FORMS[what]
    unknown = given.keys() - {*form._fields[1:]}
    if unknown:
        raise ValueError(f"a {what} has no {', '.join(sorted(unknown))}")
    if not isinstance(source, str) or not isinstance(name, str):
        raise ValueError("source and name are to be texts")
    return source, form(name, **{field: _value(field, value) for field, value in given.items()})


def _value(field: str, value: Any) -> Any:
    if field == "comment" and isinstance(value, str):
        return value
    if field == "values" and (value is None or isinstance(value, bool)):
        return value
    if field in ("domains", "ranges") and isinstance(value, list):
        return tuple(_names(field, union) for union in value)
    return _names(field, value)


def _names(field: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise ValueError(f"{field} cannot be {json.dumps(value, ensure_ascii=False)[:100]}")
    return tuple(value)
