"""JSON with the steps of a query → the text form of the query, which the parser reads.

Models that are asked for JSON elsewhere write it here too: a list of steps, or an object with the list under
``steps`` or ``queries``. A step is a text, an object with the text, or a function with its arguments.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..lexicon.words import WORDS
from .ast import Problem, ProblemKind
from .lexer import CALLED, REFERENCE
from .parser import blank_thinking, find_regions

_BEGINS = re.compile(r"^[ \t]*(?=[\[{]\s*[\[{\"])", re.MULTILINE)
_NAMES = WORDS.functions
_BEGINS_STEPS = re.compile(r'\s*\{\s*"(?:steps|queries|plan|program)"\s*:')
_COMMENT_NAME = "comment"
_LABEL = re.compile(r"query[ _]*(\d{1,9})", re.IGNORECASE)
_OPERAND = re.compile(r"set\d?")
_CALL = re.compile(CALLED, re.IGNORECASE)
_RESULT = re.compile(REFERENCE, re.IGNORECASE)


def rewrite_json_steps(text: str) -> str:
    """Return the steps of the JSON in ``text`` as lines ``QueryN: …``; without such JSON, ``text`` itself."""
    for start in _find_starts(text):
        try:
            content, _ = json.JSONDecoder().raw_decode(text, start)
        except (json.JSONDecodeError, RecursionError):
            continue
        steps = {number: (comment, call) for number, comment, call in _read_steps(content)}
        if steps:
            return "\n".join(_write_step(number, *step) for number, step in steps.items())
    return text


def begins_json_steps(text: str) -> bool:
    """True if ``text`` begins as one object with the steps of a query, readable or not."""
    return _BEGINS_STEPS.match(text) is not None


def find_json_problem(text: str) -> Problem | None:
    """Describe why the JSON at the beginning of a line of ``text`` has no readable steps.

    None if it has steps, or no list of steps.
    """
    for start in _find_starts(text):
        try:
            content, _ = json.JSONDecoder().raw_decode(text, start)
        except json.JSONDecodeError as error:
            message = (
                f"the JSON cannot be read: {error.msg} (line {error.lineno}, column {error.colno})"
            )
            return Problem(ProblemKind.UNREADABLE, message, position=error.pos)
        except RecursionError:
            message = "the JSON cannot be read: it is nested too deep"
            return Problem(ProblemKind.UNREADABLE, message, position=start)
        if _has_step_list(content) and not any(_read_steps(content)):
            message = "no step found: the list of steps in the JSON is empty"
            if _find_members(content):
                message = "no step found: nothing in the JSON is a function with its arguments"
            return Problem(ProblemKind.UNREADABLE, message, position=start)
    return None


def _has_step_list(content: Any) -> bool:
    return isinstance(content, dict) and any(
        isinstance(content.get(name), list) for name in _NAMES.step_lists
    )


def _find_starts(text: str) -> Iterator[int]:
    """Yield where JSON may begin, from the first place that lies in none before it."""
    for begin in _BEGINS.finditer(blank_thinking(text)):
        yield begin.end()


def _write_step(number: int, comment: str, call: str) -> str:
    return (f"Step{number}: {comment}\n" if comment else "") + f"Query{number}: {call}"


def _read_steps(content: Any) -> Iterator[tuple[int, str, str]]:
    # Number, comment and call of each step.
    for place, member in enumerate(_find_members(content), 1):
        number, comment = place, ""
        if isinstance(member, dict):
            numbers = (member.get(name) for name in _NAMES.number_keys)
            number = next((n for n in numbers if type(n) is int), place)
            text = member.get(_COMMENT_NAME)
            comment = " ".join(text.split()) if isinstance(text, str) else ""
            name = next(filter(_LABEL.fullmatch, member), None)
            if name is not None:
                number, member = _read_label(name, place), member[name]
        elif isinstance(member, str):
            number = _read_label(member, place)
        if call := _read_call(member):
            yield number, comment, call


def _find_members(content: Any) -> list[Any]:
    if not isinstance(content, dict):
        return content if isinstance(content, list) else []
    for name in _NAMES.step_lists:
        if isinstance(content.get(name), list):
            return list(content[name])
    labelled = [{name: content[name]} for name in content if _LABEL.fullmatch(name)]
    return labelled or [content]


def _read_label(text: str, otherwise: int) -> int:
    label = _LABEL.match(text.strip())
    return int(label[1]) if label else otherwise


def _read_call(member: Any) -> str | None:
    if isinstance(member, dict):
        text = next((member[n] for n in _NAMES.step_texts if isinstance(member.get(n), str)), None)
        return _read_call(text) if text is not None else _write_call(member)
    if not isinstance(member, str):
        return None
    regions = find_regions(member)
    # A step is one line, and a label of its own is repeated in front of it.
    text = member[regions[0].start : regions[0].end] if regions else member
    line = " ".join(text.split())
    return line if _CALL.search(line) or _RESULT.search(line) else None


def _write_call(member: Mapping[str, Any]) -> str | None:
    """Write ``{"function": "count", "arguments": {"set": "output_of_query1"}}`` as a call."""
    name = next((member[n] for n in _NAMES.function_keys if isinstance(member.get(n), str)), None)
    arguments: Any = next((member[n] for n in _NAMES.argument_keys if n in member), {})
    if name is None or not (_CALL.match(f"{name}(") or _is_unknown_function(member)):
        return None
    if isinstance(arguments, dict):
        pairs = [f"{key}={_write_value(value)}" for key, value in arguments.items()]
    elif isinstance(arguments, list) and all(map(_is_argument, arguments)):
        pairs = [_write_argument(argument) for argument in arguments]
    else:
        pairs = [*map(_write_value, arguments if isinstance(arguments, list) else [arguments])]
    return f"{name}({', '.join(pairs)})"


def _is_unknown_function(member: Mapping[str, Any]) -> bool:
    # The checks say that there is no such function; a step must not be lost.
    name = member.get("function")
    has_arguments = not member.keys().isdisjoint(_NAMES.argument_keys)
    return isinstance(name, str) and name.isidentifier() and has_arguments


def _is_argument(member: Any) -> bool:
    return isinstance(member, dict) and isinstance(member.get("name"), str) and "value" in member


def _write_argument(argument: Mapping[str, Any]) -> str:
    """Write ``{"name": "tail_entity", "operator": ">=", "value": 250}``; an operand has no name."""
    name, value = argument["name"].strip(), _write_value(argument["value"])
    operator = argument.get("operator")
    sign = operator.strip() if isinstance(operator, str) and operator.strip() else "="
    if _OPERAND.fullmatch(name) and sign == "=":
        return value
    return f"{name} {sign} {value}" if sign.isalpha() or " " in sign else f"{name}{sign}{value}"


def _write_value(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_write_value, value))}]"
    if value is None:
        return "None"
    if isinstance(value, str) and not _RESULT.fullmatch(value.strip()):
        escaped = value.replace("\\", "\\\\").replace("'", "\\'")
        return f"'{escaped}'"
    return str(value)
