"""The query language as a grammar in GBNF, for servers that restrict what a model may write.

The grammar has one form of each query: that of the prompt. What it accepts can be parsed, and has functions
and parameters of the language; validation decides the rest. The notation is that of llama.cpp.
"""

from __future__ import annotations

from collections.abc import Iterator

from .functions import FUNCTIONS, Function, Parameter
from .lexer import OPERATORS, TEXT_OPERATORS

# A name in quotes ends at its quote: without a schema, the grammar allows any name.
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


def write_gbnf() -> str:
    signs = " | ".join(f'"{sign}"' for sign in dict.fromkeys(OPERATORS.values()))
    words = " | ".join(f'" {word} "' for word in dict.fromkeys(TEXT_OPERATORS.values()))
    rules = [
        f"call ::= {' | '.join(map(_name_rule, FUNCTIONS))}",
        f"comparison ::= {signs}",
        f"condition ::= comparison | {words}",
    ]
    for function in FUNCTIONS:
        name, arguments = _name_rule(function), " | ".join(_list_arguments(function))
        argument = f"{name}-argument"
        rules.append(f'{name} ::= "{function.name}(" {argument} (", " {argument})* ")"')
        rules.append(f"{argument} ::= {arguments}")
    return _FORM + "\n".join(rules) + "\n"


def _name_rule(function: Function) -> str:
    return f"call-{function.name.replace('_', '-')}"


def _list_arguments(function: Function) -> Iterator[str]:
    if function.max_operands != 0:
        yield "member"
    yield from map(_write_parameter, function.parameters)


def _write_parameter(parameter: Parameter) -> str:
    sign = "condition" if parameter.ordered else '"="'
    return f'"{parameter.name}" {sign} value'
