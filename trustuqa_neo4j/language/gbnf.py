"""The query language as a grammar in GBNF, for servers that restrict what a model may write.

The grammar has one form of each query: that of the prompt. What it accepts can be parsed, and has functions
and parameters of the language; validation decides the rest. The notation is that of llama.cpp.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .functions import FUNCTIONS
from .lexer import OPERATORS, TEXT_OPERATORS
from .printer import escape_name
from .signatures import Function, Parameter

# A name in quotes ends at its quote; the grammar allows any name of the data.
_FORM = r"""root ::= target? "## Query:\n" step+
target ::= "## Target type: {" [^{}\n]+ "}\n"
step ::= "Step" number ": " [^\n]+ "\nQuery" number ": \"" expression "\"" "\n"?
number ::= [1-9] [0-9]?
expression ::= operand (" " sign " " operand)*
sign ::= "+" | "-" | "*" | "/" | "and" | "or" | comparison
operand ::= call | result | quantity | name | "(" expression ")"
result ::= "output_of_query" number
quantity ::= "-"? [0-9]+ ("." [0-9]+)?
name ::= "'" ([^'"\\\n] | "\\" ['"\\])* "'"
value ::= list | expression
list ::= "[" value (", " value)* "]"
member ::= ("set" [1-9]? "=")? value
"""

_PATHS = r"""columns ::= column | "[" column (", " column)* "]"
column ::= "'" hop (" > " hop)* (" as " alias)? "'"
hop ::= "^"? hop-relation ("#" number)? "?"?
alias ::= [^'"\\\n]+
"""
_RELATION_RULES = {"relation": "relation", "key": "relation", "columns": "columns"}
"""Parameters with names of relations, and their rules."""


def write_gbnf(relations: Sequence[str] = ()) -> str:
    """Write the grammar; with ``relations``, relations, keys and paths of columns have no other names."""
    names = [escape_name(name) for name in dict.fromkeys(relations) if name.isprintable()]
    signs = " | ".join(f'"{sign}"' for sign in dict.fromkeys(OPERATORS.values()))
    words = " | ".join(f'" {word} "' for word in dict.fromkeys(TEXT_OPERATORS.values()))
    rules = [
        f"call ::= {' | '.join(map(_name_rule, FUNCTIONS))}",
        f"comparison ::= {signs}",
        f"condition ::= comparison | {words}",
    ]
    if names:
        rules.append(f"relation ::= result | {' | '.join(map(_quote_terminal, names))}")
        hops = " | ".join(_quote_terminal(name[1:-1]) for name in names)
        rules.append(_PATHS + f"hop-relation ::= {hops}")
    for function in FUNCTIONS:
        name, arguments = _name_rule(function), " | ".join(_list_arguments(function, bool(names)))
        argument = f"{name}-argument"
        rules.append(f'{name} ::= "{function.name}(" {argument} (", " {argument})* ")"')
        rules.append(f"{argument} ::= {arguments}")
    return _FORM + "\n".join(rules) + "\n"


def _name_rule(function: Function) -> str:
    return f"call-{function.name.replace('_', '-')}"


def _list_arguments(function: Function, has_relations: bool) -> Iterator[str]:
    if function.max_operands != 0:
        yield "member"
    for parameter in function.parameters:
        rule = _RELATION_RULES.get(parameter.name) if has_relations else None
        yield _write_parameter(parameter, rule or "value")


def _write_parameter(parameter: Parameter, value: str) -> str:
    sign = "condition" if parameter.ordered else '"="'
    return f'"{parameter.name}" {sign} {value}'


def _quote_terminal(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
