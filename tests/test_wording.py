"""Options in messages: in the words of the shell and of Python, from one table."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from trustuqa_neo4j.errors import UsageError
from trustuqa_neo4j.wording import (
    CallOption,
    name_option,
    read_changes,
    render_options,
    use_words_of,
)

ROOT = Path(__file__).parents[1]
SHELL_ROOMS = (
    "cli",
    "embedded",
    "bulk",
    "evaluation",
    "server",
)  # reached from the shell, or about its commands
# The tables themselves, and a module that runs pip, with options of pip.
OTHER_OPTIONS = ("wording.py", "options.py", "parameters.py", "default_model.py")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
# "is no date" reads like a translation; "there is no date" and "no longer" do not.
TRANSLATED = re.compile(
    r"(?<!here )\b(?:is|are|was|were) no (?!longer\b|better\b|more\b)\w+", re.IGNORECASE
)
COMMAND = re.compile(r"(?:\btuqa(?:-load)?\b|\{drop\})[^;`]*")


def messages(path: Path) -> list[str]:
    """The texts of a module that are not docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    passed = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)}
    texts = []
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            passed |= {id(part) for part in node.values}
            texts.append("".join(_part(part) for part in node.values))
        elif isinstance(node, ast.Constant) and id(node) not in passed:
            texts.append(str(node.value))
    return texts


def _part(part: ast.expr) -> str:
    if isinstance(part, ast.FormattedValue):
        return f"{{{ast.unparse(part.value)}}}"
    assert isinstance(part, ast.Constant)
    return str(part.value)


@pytest.mark.parametrize(
    ("text", "shell", "python"),
    [
        (f"{CallOption.REPLACE} it", "--replace it", 'mode="replace" it'),
        (f"choose a {CallOption.DATASET}", "choose a --dataset", "choose a dataset"),
        (CallOption.LLM.with_value("openai:NAME"), "--llm openai:NAME", 'llm="openai:NAME"'),
        (CallOption.SKIP_END.with_value("3"), "--skip-end 3", "skip_end=3"),
        (CallOption.TYPE.with_value("a b", "text"), "--type 'a b=text'", "types={'a b': 'text'}"),
        (
            CallOption.COLUMN_DATES.with_value("x", "dmy"),
            "--dates x=dmy",
            "values=ValueOptions(columns={'x': ValueOptions(dates='dmy')})",
        ),
        (name_option("reply_tokens"), "--reply-tokens", "reply_tokens"),
        ("\ue000of a file\ue002", "\ue000of a file\ue002", "\ue000of a file\ue002"),
    ],
)
def test_an_option_in_the_words_of_the_caller(text: str, shell: str, python: str) -> None:
    assert render_options(text) == python
    assert UsageError(text, hint=text).hint == python
    with use_words_of("shell"):
        assert render_options(text) == shell
        assert str(UsageError("no", hint=text)) == f"no\nhint: {shell}"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (CallOption.HEADER.with_value("N"), "header=N"),
        (f"choose a {CallOption.DATASET}", "choose a dataset"),
        (CallOption.REPLACE_ALL, "mode=replace-all"),
        (CallOption.DATES.with_value("dmy"), "tuqa-load --dates dmy"),
        (name_option("max_calls"), "tuqa ask --max-calls"),
        (CallOption.LLM.with_value("openai:NAME"), "tuqa serve --llm openai:NAME"),
        (CallOption.TYPE.with_value("né", "text"), 'types={"né": "text"}'),
        (f"{CallOption.RENAME} names it", "rename names it"),
    ],
)
def test_an_option_at_a_server_is_a_field_or_a_command(text: object, words: str) -> None:
    with use_words_of("serve"):
        assert render_options(str(text)) == words


def test_the_changes_that_a_note_offers() -> None:
    typed = CallOption.TYPE.with_value("Zip", "text")
    sign = CallOption.DELIMITER.with_value(";")
    note = f"{typed}, {sign} or {CallOption.SKIP_END.with_value('0')}: \ue000of a file\ue002"
    assert read_changes(note) == [{"types": {"Zip": "text"}}, {"delimiter": ";"}, {"skip_end": 0}]
    # What a person has to say, and what no load has as an argument of its own.
    open_ones = (CallOption.HEADER.with_value("N"), CallOption.RENAME.with_value("a", "NAME"))
    for text in (*open_ones, str(CallOption.ENCODING), CallOption.COLUMN_NULL.with_value("a", "-")):
        assert read_changes(text) == []


def test_calls_of_an_agent_have_no_time_of_their_own() -> None:
    with use_words_of("mcp"):
        assert render_options(str(CallOption.TIMEOUT)) == "tuqa mcp --timeout"


def test_messages_take_options_from_the_table() -> None:
    paths = [
        path
        for path in [*(ROOT / "trustuqa_neo4j").rglob("*.py"), *(ROOT / "loaders").rglob("*.py")]
        if path.name not in OTHER_OPTIONS
        and not set(SHELL_ROOMS) & set(path.relative_to(ROOT).parts)
    ]
    assert len(paths) > 150
    in_messages = {
        f"{path.relative_to(ROOT)}: {option}"
        for path in paths
        for text in messages(path)
        for option in OPTION.findall(COMMAND.sub("", text))
    }
    assert in_messages == set()


def test_arguments_in_messages_are_those_of_the_client() -> None:
    source = "".join(
        (ROOT / "trustuqa_neo4j" / name).read_text(encoding="utf-8")
        for name in ("client.py", "questions/options.py", "curation/api.py", "values/value.py")
    )
    for option in CallOption:
        for argument in re.findall(r"(\w+)=", option.value[1]):
            assert re.search(rf"\b{argument}: ", source), f"{option.name}: {argument}"


def test_messages_and_pages_say_is_not() -> None:
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    modules = [*(ROOT / "trustuqa_neo4j").rglob("*.py"), *(ROOT / "loaders").rglob("*.py")]
    texts = [(page, page.read_text(encoding="utf-8")) for page in pages]
    texts += [(module, text) for module in modules for text in messages(module)]
    wrong = {
        f"{path.relative_to(ROOT)}: {match}"
        for path, text in texts
        for match in TRANSLATED.findall(" ".join(text.split()))
    }
    assert wrong == set()
