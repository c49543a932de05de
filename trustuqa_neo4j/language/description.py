"""A query as one sentence, for people: *Title of those whose price is the lowest*.

Results of earlier steps are described in their place. A sentence says what the query means, whoever wrote it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from ..lexicon.words import WORDS
from .ast import BinaryOp, Call, ListValue, Literal, Query, Reference, Value
from .binder import BoundCall, bind_call
from .function_names import find_function
from .functions import COUNT_BY, DESCENDING, INTERSECTION, TABLE, TIMES, get_row
from .lexer import OPERATOR_NAMES, TEXT_OPERATORS
from .selectors import EXTREMES, MOST
from .signatures import Described

MAX_LENGTH = 400
_THOSE = "those "
_FOR_EACH = "for each "
_EACH_OF = "each of "
_COUNTS = "how often there is each of "
_ROWS = "the rows whose "
_ROW_NUMBER = ("row_number", "row number")

_OPERATORS = {
    "=": "is", "!=": "is not", ">": "is more than", "<": "is less than", ">=": "is at least",
    "<=": "is at most",
}  # fmt: skip


def describe_query(query: Query) -> str:
    """Describe the result of the last step."""
    if not query.steps:
        return ""
    steps: dict[int, str] = {}
    for step in query.steps:
        steps[step.number] = _shorten(_describe(step.value, steps))
    sentence = steps[query.steps[-1].number]
    target = ", ".join(query.target)
    is_rows = sentence.startswith(_THOSE)
    return _shorten(f"{target} of {sentence}" if target and is_rows else sentence)


def describe_steps(query: Query) -> dict[int, str]:
    """Describe every step by its number; results of earlier steps are named ``step 1``."""
    return {step.number: _shorten(_describe(step.value, {})) for step in query.steps}


def _shorten(text: str) -> str:
    return text if len(text) <= MAX_LENGTH else text[: MAX_LENGTH - 1] + "…"


def _describe(value: Value, steps: Mapping[int, str]) -> str:
    if isinstance(value, Literal):
        return value.text
    if isinstance(value, Reference):
        return steps.get(value.step, f"step {value.step}")
    if isinstance(value, ListValue):
        return " or ".join(_describe(member, steps) for member in value.members)
    if isinstance(value, BinaryOp):
        left, right = _describe(value.left, steps), _describe(value.right, steps)
        is_comparison = value.operator in OPERATOR_NAMES
        return f"{'whether ' * is_comparison}{left} {value.operator} {right}"
    return _describe_call(value, steps)


def _describe_call(call: Call, steps: Mapping[int, str]) -> str:
    function = find_function(call.function)
    if function is None:
        return call.function
    if function.name == "get_information":
        return _Search(call, steps).describe() + _describe_table(call)
    describe = _DESCRIPTIONS.get(function.described)
    sentence = describe(function.name, call, steps) if describe else ""
    if sentence:
        return sentence
    operands: list[str] = []
    options: list[str] = []
    for position, argument in enumerate(call.arguments):
        text = _describe(argument.value, steps)
        option = _parameter_name(call, position)
        if option is None:
            operands.append(text)
        else:
            options.append(f"{option} {argument.operator} {text}")
    if function.name == INTERSECTION and all(text.startswith(_THOSE) for text in operands):
        return _THOSE + " and ".join(text.removeprefix(_THOSE) for text in operands)
    for sentence in function.sentences:
        if sentence.count("{}") == len(operands) and not options:
            return sentence.format(*operands)
    return f"{function.name.replace('_', ' ')} of {'; '.join((*operands, *options))}"


_COMPUTED = re.compile(r"(.+), with (.+) as (.+)")
_IS_FILLED = re.compile(r"whose [^']+ is not empty(?: and whose [^']+ is not empty)*")
_AGGREGATE = re.compile(r"(?:(sum|mean)\(([^()]+)\)|count\(\))(?: as .+)?")


def _describe_groups(function: str, call: Call, steps: Mapping[int, str]) -> str:
    """Describe rows of columns, some of them, a sum or mean for each group, or the greatest or least group.

    The texts of these steps build on each other. Return no text for other expressions.
    """
    texts = _describe_arguments(call, steps)
    operand = texts.get("", "")
    if function == "get_table":
        head, columns = texts.get("head_entity"), texts.get("columns")
        if not columns:
            return ""
        listed = columns.replace(" or ", " and ")
        return (f"{listed} of {head}" if head else listed) + _describe_table(call)
    if function == "calculate":
        name, expression = texts.get("name"), texts.get("expression", "").replace("'", "")
        return f"{operand}, with {expression}" + (f" as {name}" if name else "")
    if function == "group_by" and "by" in texts and "values" not in texts:
        is_counted = operand.startswith(_EACH_OF)  # count_by has made the groups
        return operand if is_counted else f"the different {texts['by']} of {operand}"
    if function == "group_by":
        aggregate = _AGGREGATE.fullmatch(texts.get("values", ""))
        if aggregate is None or "by" not in texts:
            return ""
        _, _, rows = operand.partition(" of those ")
        among = f", among those {rows}" if rows else ""
        what = f"{aggregate[1]} of {aggregate[2]}" if aggregate[1] else "number of rows"
        return f"{_FOR_EACH}{texts['by']}, the {what}{among}"
    if operand.startswith(_COUNTS):
        frequency = "most" if get_row(function).upper else "least"
        return f"the {frequency} frequent of {operand.removeprefix(_COUNTS)}"
    if not operand.startswith(_FOR_EACH):
        return ""
    group, _, rest = operand.removeprefix(_FOR_EACH).partition(", the ")
    return f"the {group} with the {'greatest' if get_row(function).upper else 'least'} {rest}"


def _describe_ranked(function: str, call: Call, steps: Mapping[int, str]) -> str:
    """Describe members in an order, the first or last of them, or how often each occurs.

    The last one of the first three is *number 3 of* them.
    """
    texts = _describe_arguments(call, steps)
    operand = texts.get("")
    if operand is None:
        return ""
    if function == COUNT_BY:
        return f"{_COUNTS}{operand}"
    if function == "sort":
        first = "greatest" if texts.get("order") == DESCENDING else "least"
        by = f" by {texts['by']}" if "by" in texts else ""
        return f"{operand}{by}, the {first} first"
    number = texts.get("number")
    if number is None:
        return ""
    place = re.match(r"the first (\d+) of ", operand)
    if function == "last" and number == "1" and place:
        return f"number {place[1]} of {operand[place.end() :]}"
    return f"the {function} {number} of {operand}"


def _describe_arguments(call: Call, steps: Mapping[int, str]) -> dict[str, str]:
    """Return the texts of parameters by name, that of the operand by an empty text."""
    bound = bind_call(call)
    if not isinstance(bound, BoundCall):
        return {}
    texts = {name: _describe(argument.value, steps) for name, argument in bound.parameters}
    if bound.operands:
        texts[""] = _describe(bound.operands[0], steps)
    return texts


def _describe_kept(_: str, call: Call, steps: Mapping[int, str]) -> str:
    """Describe the members of a set, or rows of a table, that fulfil conditions.

    Rows by a computed column are described by its expression.
    """
    subject, column, conditions = "", "", list[str]()
    for position, argument in enumerate(call.arguments):
        text = _describe(argument.value, steps)
        parameter = _parameter_name(call, position)
        if parameter == "column":
            column = text
        elif parameter == "value":
            quoted = f"'{text}'" if isinstance(argument.value, Literal) else text
            conditions.append(_condition(argument.operator, text, quoted))
        else:
            subject = text
    if subject.startswith(_COUNTS) and column == "count":
        return f"{_EACH_OF}{subject.removeprefix(_COUNTS)} whose count {' and '.join(conditions)}"
    computed = _COMPUTED.fullmatch(subject)
    if computed and computed[3] == column:
        _, _, rows = computed[1].partition(" of those ")
        among = f", among those {rows}" if rows and not _IS_FILLED.fullmatch(rows) else ""
        return f"{_ROWS}{computed[2]} {' and '.join(conditions)}{among}"
    return f"{subject}, {f'where {column}' if column else 'only what'} {' and '.join(conditions)}"


_DESCRIPTIONS: dict[Described, Callable[[str, Call, Mapping[int, str]], str]] = {
    "groups": _describe_groups,
    "kept": _describe_kept,
    "ranked": _describe_ranked,
}
"""A call that these cannot describe is described as others are."""


def _describe_table(call: Call) -> str:
    for position, argument in enumerate(call.arguments):
        if _parameter_name(call, position) == TABLE.name and isinstance(argument.value, Literal):
            return f" in {argument.value.text}"
    return ""


def _parameter_name(call: Call, position: int) -> str | None:
    name = call.arguments[position].name
    function = find_function(call.function)
    parameter = function.parameter(name) if function and name else None
    return parameter.name if parameter else None


class _Search:
    """A call of ``get_information``, described by which of its parameters are there."""

    def __init__(self, call: Call, steps: Mapping[int, str]) -> None:
        self.texts: dict[str, str] = {}
        self.conditions: dict[str, list[str]] = {}
        for position, argument in enumerate(call.arguments):
            name = _parameter_name(call, position) or ""
            text = _describe(argument.value, steps)
            if name == "head_entity" and argument.operator in TEXT_OPERATORS:
                text = f"{_THOSE}whose name {argument.operator} '{text}'"
            self.texts.setdefault(name, text)
            quoted = f"'{text}'" if isinstance(argument.value, Literal) else text
            self.conditions.setdefault(name, []).append(_condition(argument.operator, text, quoted))

    def describe(self) -> str:
        head, relation, tail, key, value = (
            self.texts.get(name)
            for name in ("head_entity", "relation", "tail_entity", "key", "value")
        )
        if relation is None and key is not None:
            relation, key = key, None
            self.conditions["tail_entity"] = self._conditions("tail_entity", "value")
            tail, value = value if tail is None else tail, None
        if relation is None:
            ends = f" of {head}" if head else ""
            return f"the relations{ends}" + (f" to {tail}" if tail else "")
        if relation in _ROW_NUMBER and head is None and key is None:
            return self._describe_rows()
        if key is None and tail is None and value is not None:
            self.conditions["tail_entity"] = self._conditions("value")
            tail = value
        those = self._those(relation, "tail_entity" if tail is not None else "")
        if key is None:
            if tail is None:
                return relation if head is None else f"{_quote(relation)} of {head}"
            return those if head is None else f"{those}, among {head}"
        return self._with_key(
            head, relation, key, those if tail is not None else "", value is not None
        )

    def _with_key(self, head: str | None, relation: str, key: str, those: str, valued: bool) -> str:
        of_key = self._those(key, "value")
        if valued and those:
            subject = f"{those} and {of_key.removeprefix(_THOSE)}"
            return subject if head is None else f"{_quote(relation)} of {head}, {subject}"
        if valued and head is None:
            return f"{_quote(relation)} of {of_key}"
        if valued:
            return f"{_quote(relation)} of {head} {of_key.removeprefix(_THOSE)}"
        if those and head is not None and key.casefold() in TIMES:
            tail = self.texts.get("tail_entity", "")
            if self._conditions("tail_entity") == [f"is '{tail}'"]:
                return f"{key} of {_quote(relation)} between {head} and {tail}"
        if those:
            return f"{_quote(key)} of {those}" + ("" if head is None else f", among {head}")
        return f"{_quote(key)} of " + (
            relation if head is None else f"{_quote(relation)} of {head}"
        )

    def _conditions(self, *names: str) -> list[str]:
        return [condition for name in names for condition in self.conditions.get(name, ())]

    def _those(self, relation: str, parameter: str) -> str:
        conditions = self._conditions(parameter)
        if len(conditions) == 1 and conditions[0].startswith(f"is {_ROWS}"):
            return _THOSE + conditions[0].removeprefix("is the rows ")
        return f"{_THOSE}whose {relation} {' and '.join(conditions)}" if conditions else ""

    def _describe_rows(self) -> str:
        conditions = self._conditions("tail_entity", "value")
        if conditions == ["is at least '1'"]:
            return "all rows"
        if conditions in (["is the lowest"], ["is the highest"]):
            return f"the {'first' if conditions == ['is the lowest'] else 'last'} row"
        return f"the row whose number {' and '.join(conditions)}" if conditions else "row numbers"


def _condition(operator: str, text: str, quoted: str) -> str:
    word = text.casefold()
    if not word and operator in ("=", "!="):
        return "is empty" if operator == "=" else "is not empty"
    if operator == "=" and word in EXTREMES:
        return f"is the {word}"
    if operator == "=" and word in MOST:
        return f"is the {word} frequent"
    return f"{_OPERATORS.get(operator, operator)} {quoted}"


def _quote(name: str) -> str:
    """Quote a name such as *born in*, which would read on into the *of* after it."""
    has_preposition = re.split(r"[\s_]", name)[-1].casefold() in WORDS.grammar.prepositions
    return f"'{name}'" if has_preposition else name
