"""An agent whose model is a script reaches answers by the texts of the tools and their replies alone."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.types import Tool
from support.shell import environment

from trustuqa_neo4j import Settings, TrustUQA
from trustuqa_neo4j.loading.sample import DATASET, list_sample_files

MOST_CALLS = 3


@dataclass
class Task:
    """A question of a person, with what its words mean to them.

    ``means`` are words of the reading that fits, ``name`` is how the person calls what the steps begin
    with, and ``arguments`` are those that the model gets wrong at first. ``follows`` is asked before.
    """

    question: str
    answer: tuple[Any, ...]
    means: Sequence[str] = ()
    name: str = ""
    arguments: dict[str, str] = field(default_factory=dict)
    follows: str = ""


TASKS = [
    Task("Who commanded Apollo 12?", ("Pete Conrad",)),
    Task("Which mission was the longest?", ("Apollo 17",)),
    Task("Who led NASA on 7 December 1972?", ("James Fletcher",)),
    Task("How many missions are there for each aim?",
         (("Earth orbit", 3), ("lunar landing", 7), ("lunar orbit", 2))),
    # Words that the data do not have: a reading is taken.
    Task("Who was the boss of Apollo 11?", ("Neil Armstrong",), ["commander"]),
    Task("How long did all lunar landings fly together?", (1658,), ["sum", "hours"]),
    Task("When did James Webb lead NASA?", ("1961-02-14",), ["start", "NASA"]),
    # Wrong arguments: the reply names the right ones.
    Task("Where was Buzz Aldrin born?", ("Glen Ridge",), arguments={"dataset": "apolo"}),
    # Steps of its own, after the example of the language.
    Task("Which command module flew with Appolo 15?", ("Endeavour",), ["command", "module"],
         name="Appolo 15"),
    Task("And on Apollo 16?", ("Charles Duke", "John Young", "Ken Mattingly"),
         follows="Who flew on Apollo 15?"),
]  # fmt: skip


class ScriptedModel:
    """Takes each word that it writes from the task, the instructions, the schemas or the replies."""

    def __init__(self, task: Task, instructions: str, tools: Sequence[Tool]) -> None:
        self._task = task
        self._tools = {tool.name: tool for tool in tools}
        self._ask = self._find(r"Either `(\w+)` in plain words", instructions)
        self._language = self._find(r"`(\w+)` \(the\s+resource", instructions)
        self._names = self._find(r"find names with `(\w+)`", instructions)
        self._run = self._find(r"`check_query` and `(\w+)`", instructions)
        self._text = ""

    @staticmethod
    def _find(pattern: str, text: str) -> str:
        found = re.search(pattern, text)
        assert found is not None, f"no {pattern!r} in {text!r}"
        return found[1]

    def _name_argument(self, tool: str, description: str) -> str:
        """The argument that its description says to be for this."""
        arguments = self._tools[tool].input_schema["properties"]
        return next(
            name for name, row in arguments.items() if description in row.get("description", "")
        )

    def begin(self) -> tuple[str, dict[str, Any]]:
        if self._task.name:
            return self._language, {}
        argument = self._name_argument(self._ask, "The question")
        first = self._task.follows or self._task.question
        return self._ask, {argument: first, **self._task.arguments}

    def go_on(
        self, tool: str, arguments: dict[str, Any], reply: str, *, is_error: bool
    ) -> tuple[str, dict[str, Any]] | tuple[Any, ...]:
        """The next call, or the answer."""
        if is_error:
            right = self._find(r"did you mean '([^']+)'", reply)
            wrong = self._find(r"no dataset '([^']+)'", reply)
            return tool, {name: right if v == wrong else v for name, v in arguments.items()}
        if tool == self._language:
            self._text = reply
            return self._names, {self._name_argument(self._names, "name or word"): self._task.name}
        content = json.loads(reply)
        if tool == self._names:
            return self._write_steps(content)
        if content["outcome"] == "answered":
            if self._task.follows and self._task.question not in arguments.values():
                question = self._name_argument(self._ask, "The question")
                follows = self._name_argument(self._ask, "the question follows")
                return self._ask, {question: self._task.question, follows: content["answer"]}
            return tuple(content["values"]) or tuple(map(tuple, content["rows"]))
        readings = content["readings"]
        fitting = next(
            row for row in readings if all(word in row["understood"] for word in self._task.means)
        )
        assert "this pick" in json.dumps(self._tools[tool].output_schema)
        return tool, {**arguments, "pick": fitting["pick"]}

    def _write_steps(self, names: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """The first example of the language, with a name and a relation of the reply in their places."""
        example = self._find(r"\n\s+(get_information\(head_entity='[^\n]+?\)) returns", self._text)
        head, relation = re.findall(r"'([^']+)'", example)
        like = next(
            name for name in names["relations"] if all(word in name for word in self._task.means)
        )
        steps = example.replace(head, names["names"][0]).replace(relation, like)
        number = self._find(r"numbered steps, (\w+): ", self._text)
        return self._run, {self._name_argument(self._run, "Steps such"): f'{number}: "{steps}"'}


async def solve(client: Client, task: Task) -> tuple[tuple[Any, ...], int]:
    """Let the model call tools until it answers; return the answer and the number of calls."""
    tools = (await client.list_tools()).tools
    model = ScriptedModel(task, client.instructions or "", tools)
    tool, arguments = model.begin()
    for count in range(1, MOST_CALLS + 1):
        result = await client.call_tool(tool, arguments)
        (content,) = result.content
        assert content.type == "text"
        step = model.go_on(tool, arguments, content.text, is_error=bool(result.is_error))
        if not (len(step) == 2 and isinstance(step[1], dict)):
            return step, count
        tool, arguments = step
    pytest.fail(f"{task.question}: no answer after {MOST_CALLS} calls, the last one {arguments}")


def test_ten_questions_are_answered_in_three_calls(server: Settings, tuqa: TrustUQA) -> None:
    for kind, file in list_sample_files():
        tuqa.load(kind, file, dataset=DATASET, mode="append", embeddings=False)
    parameters = StdioServerParameters(
        command=str(Path(sys.executable).with_name("tuqa")),
        args=["mcp"],
        env=environment(server),
    )

    async def main() -> list[tuple[tuple[Any, ...], int]]:
        async with Client(parameters) as client:
            return [await solve(client, task) for task in TASKS]

    solved = anyio.run(main)
    assert [answer for answer, _ in solved] == [task.answer for task in TASKS]
    # One call is enough where the words are those of the data.
    assert [count for _, count in solved] == [1, 1, 1, 1, 2, 2, 2, 2, 3, 2]
