"""The rules of the house that a machine can check."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import click
import pytest

import trustuqa_neo4j
from trustuqa_neo4j import errors
from trustuqa_neo4j.cli.main import COMMANDS, main
from trustuqa_neo4j.graph import statements

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "trustuqa_neo4j"

# The rooms, in the order a question walks through them; a room imports only from those above it.
ROOMS = (
    "errors", "triples", "dataset", "settings", "values", "embedding", "loader", "language", "mapping",
    "planning", "checking", "compiling", "looking", "demonstrating", "showing", "answer", "graph",
    "llm", "loading", "exporting", "recording", "reasoning", "executing", "engine", "asking",
    "client", "evaluation", "cli",
)  # fmt: skip


def modules() -> list[Path]:
    return sorted(p for p in PACKAGE.rglob("*.py") if p != PACKAGE / "__init__.py")


def room(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path: Path, package: str) -> list[str]:
    """Dotted names of all modules that ``path`` imports, wherever in it."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package.split(".")[: len(package.split(".")) - node.level + 1]
            source = (
                ".".join([*base, node.module] if node.module else base)
                if node.level
                else node.module
            )
            assert source is not None
            found.append(source)
            found += [f"{source}.{alias.name}" for alias in node.names]
    return found


def package_of(path: Path) -> str:
    return ".".join(("trustuqa_neo4j", *path.relative_to(PACKAGE).parent.parts))


def test_every_room_is_in_the_order() -> None:
    assert {room(path) for path in modules()} == set(ROOMS)


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_go_one_way(path: Path) -> None:
    here = ROOMS.index(room(path))
    for name in imports(path, package_of(path)):
        parts = name.split(".")
        if parts[0] == "trustuqa_neo4j" and len(parts) > 1 and parts[1] in ROOMS:
            assert ROOMS.index(parts[1]) <= here, f"{path} imports {name}"


@pytest.mark.parametrize(
    ("library", "rooms"), [("neo4j", {"graph"}), ("langchain_core", {"llm"}), ("click", {"cli"})]
)
def test_each_edge_has_one_room(library: str, rooms: set[str]) -> None:
    for path in modules():
        names = imports(path, package_of(path))
        typed_only = room(path) == "client"  # names the driver's type in a signature
        if any(n.split(".")[0] == library for n in names) and not typed_only:
            assert room(path) in rooms, f"{path} imports {library}"


def test_nothing_imports_a_loader_by_name() -> None:
    for path in [*modules(), *(ROOT / "tests").rglob("*.py"), *(ROOT / "bench").rglob("*.py")]:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"^\s*(?:from|import) (?:trustuqa_neo4j\.)?loaders\b", text, re.M), (
            path
        )


def test_public_names_are_there_and_no_others() -> None:
    assert sorted(trustuqa_neo4j.__all__) == [
        "Answer", "Demonstration", "Evidence", "Settings", "Trace", "TrustUQA", "TrustUQAError",
        "__version__",
    ]  # fmt: skip
    for name in trustuqa_neo4j.__all__:
        assert getattr(trustuqa_neo4j, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        trustuqa_neo4j.Nothing  # noqa: B018 # asked for on purpose


def test_the_tree_in_errors_is_the_tree() -> None:
    drawn = re.findall(r"([├└]── |TrustUQAError$)?(\w+)", "", re.M)
    drawn = [
        (len(line) - len(line.lstrip("│├└─ ")), re.sub(r"[│├└─ ]+(\w+).*", r"\1", line).strip())
        for line in (errors.__doc__ or "").splitlines()
        if re.search(r"[├└]── \w+", line)
    ]
    parents: dict[int, str] = {4: "TrustUQAError"}
    expected = {"TrustUQAError": "Exception"}
    for indent, name in drawn:
        above = max(depth for depth in parents if depth < indent)
        expected[name] = parents[above]
        parents = {depth: n for depth, n in parents.items() if depth < indent} | {indent: name}
    real = {
        name: kind.__mro__[1].__name__
        for name, kind in inspect.getmembers(errors, inspect.isclass)
        if issubclass(kind, Exception)
    }
    assert real == expected


@pytest.mark.parametrize("name", statements.names())
def test_statements_declare_what_they_use(name: str) -> None:
    found = statements.statement(name)
    assert found.summary.endswith(".")
    assert found.text.endswith("\n")


def test_statements_are_all_used() -> None:
    code = "\n".join(path.read_text(encoding="utf-8") for path in modules())
    unused = [n for n in statements.names() if not re.search(rf"\b{n}\b", code)]
    assert not unused


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("// One.\n// $a: text\nRETURN 1\n", r"declares \['a'\], uses \[\]"),
        ("// One.\nRETURN $a\n", r"declares \[\], uses \['a'\]"),
        ("RETURN 1\n", "no comment that is a sentence"),
    ],
)
def test_a_statement_that_is_not_well_declared_is_refused(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        statements.read("one", text)


def test_wrong_parameters_are_refused() -> None:
    found = statements.read("one", "// One.\n// $a: text\nRETURN $a\n")
    found.check({"a": 1})
    with pytest.raises(TypeError, match="missing a; not declared b"):
        found.check({"b": 1})


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_the_table_of_commands_says_what_each_command_says(name: str) -> None:
    module, sentence = COMMANDS[name]
    command = import_module(f"trustuqa_neo4j.cli.{module}").command
    assert isinstance(command, click.Command)
    assert (command.help or "").split("\n")[0] == sentence


def commands() -> list[tuple[str, click.Command]]:
    found = [("tuqa", main), ("tuqa-load", import_module("trustuqa_neo4j.cli.load").main)]
    for name, (module, _) in COMMANDS.items():
        command = import_module(f"trustuqa_neo4j.cli.{module}").command
        found.append((f"tuqa {name}", command))
        if isinstance(command, click.Group):
            found += [(f"tuqa {name} {sub}", c) for sub, c in command.commands.items()]
    return found


@pytest.mark.parametrize(
    ("name", "command"), commands(), ids=lambda x: x if isinstance(x, str) else ""
)
def test_every_command_has_an_example(name: str, command: click.Command) -> None:
    assert "Example:" in (command.help or ""), name
    assert f"  {name}" in (command.help or ""), name


HEAVY = ("torch", "numpy", "langchain_core", "langchain_openai", "sentence_transformers", "pandas")


@pytest.mark.parametrize(
    "words",
    [
        "from trustuqa_neo4j.cli.main import main; main(['--help'])",
        "from trustuqa_neo4j.cli.main import main; main(['datasets'])",
        "from trustuqa_neo4j.cli.main import main; main(['drop', 'nothing'])",
        "from trustuqa_neo4j.cli.main import main; main(['run'])",
        "from trustuqa_neo4j.cli.main import main; main(['neo4j', 'status'])",
        "from trustuqa_neo4j.cli.load import main; main(['--list'])",
    ],
)
def test_no_command_that_does_not_embed_imports_what_is_heavy(words: str) -> None:
    """The database is not there on purpose: it is asked for, so the driver is imported."""
    code = (
        f"import sys\ntry:\n    {words}\nexcept SystemExit: pass\n"
        f"print(*[m for m in {HEAVY} if sys.modules.get(m)], file=sys.stderr, sep=',')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input="get_information(head_entity='a', relation='b')",
        capture_output=True,
        text=True,
        env={"NEO4J_URI": "bolt://127.0.0.1:1", "TUQA_HOME": "/nonexistent", "PATH": ""},
        check=True,
    )
    assert done.stderr.splitlines()[-1] == ""


def test_help_needs_neither_driver_nor_parser() -> None:
    code = (
        "import sys\nfrom trustuqa_neo4j.cli.main import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        "assert not {'neo4j', 'lark', 'rich'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def tracked() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True
    )
    return [ROOT / name for name in listed.stdout.decode().splitlines() if (ROOT / name).is_file()]


def test_no_file_names_a_folder_of_some_machine() -> None:
    telling = re.compile(rb"/(?:home|root|Users|work|opt)/\w")
    for path in tracked():
        found = telling.search(path.read_bytes())
        assert not found, f"{path}: {found}"
