"""What the interpreter and its comparison with the engine leave open, without the engine."""

from __future__ import annotations

import pytest

from .comparison import show_number
from .interpreter import Interpreter
from .model import Argument, Call, Data, Fact, Name, Number, Program, Several, Unspecified, Value

BOATS = Data(
    [
        Fact(head, relation, tail, places=frozenset((line,)))
        for line, (head, relation, tail) in enumerate(
            (
                ("Cobo", "sails with", "m.1"),
                ("Dorn", "sails with", "m.1"),
                ("Dorn", "sails with", "m.2"),
                ("Dorn", "sails with", "m.3"),
                ("m.1", "length", "9 m"),
                ("m.1", "painted", "red"),
            ),
            1,
        )
    ],
    names={"m.1": "Brisa", "m.2": "Brisa", "m.3": "Alca"},
    values={"9 m": Value(9.0, "m")},
)


def call(function: str, *operands: Call, **options: Name | Number | Call) -> Call:
    named = (Argument(value, name) for name, value in options.items())
    return Call(function, (*map(Argument, operands), *named))


def test_homonyms_have_no_order() -> None:
    members = call("get_information", relation=Name("sails with"))
    for number, outcome in ((1, "answered"), (4, "answered")):
        taken = call("first", call("sort", members), number=Number(str(number)))
        assert Interpreter(BOATS).run(Program((taken,))).outcome == outcome
    for number in (2, 3):
        taken = call("first", call("sort", members), number=Number(str(number)))
        with pytest.raises(Unspecified):
            Interpreter(BOATS).run(Program((taken,)))


def test_a_condition_on_nothing_leaves_nothing() -> None:
    nothing = call("get_information", head_entity=Name("Cobo"), relation=Name("length"))
    bound = Argument(
        call("get_information", head_entity=Name("m.1"), relation=Name("painted")), "value", ">"
    )
    kept = Call("keep", (Argument(nothing), bound))
    assert Interpreter(BOATS).run(Program((kept,))).outcome == "empty"


def test_a_number_that_the_engine_rounds_to_12_digits_is_the_same() -> None:
    assert show_number(13 / 10030) == show_number(0.001296111665)


def test_a_number_of_no_members_is_an_answer_if_each_search_found_some() -> None:
    names = Several((Name("Dorn"), Name("Nobody")))
    found = Call(
        "get_information",
        (Argument(names, "head_entity"), Argument(Name("sails with"), "relation")),
    )
    of_all = call("get_information", relation=Name("sails with"))
    count = call("count", call("set_difference", found, of_all))
    assert Interpreter(BOATS).run(Program((count,))).outcome == "answered"
