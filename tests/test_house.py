"""The rules of the house that a machine can check."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import pytest

import trustuqa_neo4j
from bench.documentation import list_below
from trustuqa_neo4j import errors
from trustuqa_neo4j.cli.main import COMMANDS, main
from trustuqa_neo4j.graph import migrations, statements
from trustuqa_neo4j.language.functions import FUNCTIONS
from trustuqa_neo4j.language.signatures import Function

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "trustuqa_neo4j"

# The rooms, in the order a question walks through them; a room imports only from those above it.
ROOMS = (
    "wording", "errors", "option", "regular_file", "slow_imports", "private_folder", "consent", "settings",
    "context_value", "deadline", "gate", "ablation", "sqlite_cache", "matching", "lexicon",
    "values", "language", "render", "model", "planning", "ontology", "validation", "reads", "reasoning",
    "evidence", "stage", "check_report", "answer_numbers", "answer_sentence", "answer_chart", "answer",
    "trace", "embedding", "embedded",
    "demonstrations", "semantic_parser", "graph",
    "execution",
    "pipeline", "llm", "prompts", "loading", "bulk", "export", "questions", "curation", "async_client",
    "langchain_client", "spans", "client", "time_limit", "mcp", "server", "evaluation", "cli",
)  # fmt: skip


# Names that say nothing about what they hold.
FILLER = frozenset({
    "found", "given", "each", "told", "known", "said", "made", "wanted", "one", "other", "others",
    "here", "there", "wished", "asked", "seen", "used", "taken", "left", "kept", "meant", "held",
    "again", "more", "much",
})  # fmt: skip
FILLER_LIMIT = 0.01

# Rooms whose words of questions are in the lexicon; names of fields and parameters are what is left.
ROOMS_OF_LANGUAGE = ("semantic_parser", "language", "questions", "execution")
LISTED_WORDS_LIMIT = 80
MIN_LISTED = 3
WORD = re.compile(r"[a-z]{3,}")

# Where functions of the query language are named; elsewhere their rows are read, and other things have
# such names too: the unit *min*, and *mean* in models of vectors.
TABLES_OF_FUNCTIONS = ("language/functions.py", "reasoning/functions.py")
NAMES_OF_FUNCTIONS_LIMIT = 12

# Where every public class, function and method has a docstring.
PUBLIC_API = ("client.py", "answer.py", "evidence.py", "errors.py", "loading/formats.py", "model")


def modules() -> list[Path]:
    return sorted(p for p in PACKAGE.rglob("*.py") if p != PACKAGE / "__init__.py")


def module_paths() -> dict[str, Path]:
    """All modules of the package and its loaders, by dotted name."""
    paths = {dotted_name(path.relative_to(ROOT)): path for path in PACKAGE.rglob("*.py")}
    for path in (ROOT / "loaders").rglob("*.py"):
        paths[f"{PACKAGE.name}.{dotted_name(path.relative_to(ROOT))}"] = path
    return paths


def dotted_name(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def test_no_file_is_longer_than_it_may_be() -> None:
    sizes = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in modules()}
    assert {path.name: n for path, n in sizes.items() if n > 800} == {}


@cache
def syntax_tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def room(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@cache
def imports(path: Path, package: str) -> tuple[str, ...]:
    """Dotted names of all modules that ``path`` imports, for type checkers too."""
    names = []
    for node in ast.walk(syntax_tree(path)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")
            parents = parts[: len(parts) - node.level + 1] if node.level else []
            source = ".".join([*parents, *([node.module] if node.module else [])])
            names += [source, *(f"{source}.{alias.name}" for alias in node.names)]
    return tuple(names)


def import_graph() -> dict[str, set[str]]:
    """Module → modules of the package that it imports. A package counts where names of its own are meant."""
    paths = module_paths()
    graph = {}
    for name, path in paths.items():
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        targets = set()
        for node in ast.walk(syntax_tree(path)):
            if isinstance(node, ast.Import):
                targets |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                parts = package.split(".")
                parents = parts[: len(parts) - node.level + 1] if node.level else []
                source = ".".join([*parents, *([node.module] if node.module else [])])
                modules_named = {f"{source}.{alias.name}" for alias in node.names}
                targets |= {t if t in paths else source for t in modules_named}
        graph[name] = {target for target in targets if target in paths} - {name}
    return graph


def bound_names(tree: ast.Module) -> Iterator[str]:
    """Names of variables and parameters, once for each place that binds them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            yield node.name


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


def test_imports_make_no_circle() -> None:
    graph = import_graph()
    while leaves := [name for name, targets in graph.items() if not targets & graph.keys()]:
        for name in leaves:
            del graph[name]
    # What is left lies on a circle or imports from one.
    importers = set().union(*graph.values())
    on_circles = {name: sorted(graph[name] & graph.keys()) for name in graph.keys() & importers}
    assert not on_circles


@pytest.mark.parametrize(
    ("library", "rooms"),
    [
        ("neo4j", {"graph", "embedded"}),
        ("langchain_core", {"llm"}),
        ("click", {"cli"}),
        ("mcp", {"mcp"}),
    ],
)
def test_each_edge_has_one_room(library: str, rooms: set[str]) -> None:
    for path in modules():
        names = imports(path, package_of(path))
        typed_only = room(path) in ("client", "langchain_client")  # names its types in signatures
        if any(n.split(".")[0] == library for n in names) and not typed_only:
            assert room(path) in rooms, f"{path} imports {library}"


# What they read may run code of whoever wrote it.
OBJECT_FORMATS = frozenset(
    {"pickle", "_pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib"}
)


def test_nothing_is_read_as_python_objects() -> None:
    used = {
        (name, imported)
        for name, path in module_paths().items()
        for imported in imports(path, name.rpartition(".")[0])
        if imported.split(".")[0] in OBJECT_FORMATS
    }
    # torch reads weights in this format without running code, and raises this error.
    inference = "trustuqa_neo4j.embedding.inference"
    assert used == {(inference, "pickle"), (inference, "pickle.UnpicklingError")}


def test_nothing_imports_a_loader_by_name() -> None:
    for path in [*modules(), *(ROOT / "tests").rglob("*.py"), *(ROOT / "bench").rglob("*.py")]:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"^\s*(?:from|import) (?:trustuqa_neo4j\.)?loaders\b", text, re.M), (
            path
        )


def test_variables_say_what_they_hold() -> None:
    counts = Counter(
        name for path in module_paths().values() for name in bound_names(syntax_tree(path))
    )
    filler = Counter({name: count for name, count in counts.items() if name in FILLER})
    share = filler.total() / counts.total()
    assert share <= FILLER_LIMIT, f"{share:.1%} of {counts.total()}: {filler.most_common(9)}"


def listed_words(tree: ast.Module) -> Iterator[str]:
    """Yield the words of collections, keys of dictionaries and split texts that hold words alone."""
    for node in ast.walk(tree):
        match node:
            case ast.Tuple(elts=members) | ast.Set(elts=members) | ast.List(elts=members):
                texts = [m.value if isinstance(m, ast.Constant) else None for m in members]
            case ast.Dict(keys=keys):
                texts = [k.value if isinstance(k, ast.Constant) else None for k in keys]
            case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(text)), attr="split")):
                texts = [*text.split()]
            case _:
                continue
        words = [text for text in texts if isinstance(text, str) and WORD.fullmatch(text)]
        if len(words) == len(texts) >= MIN_LISTED:
            yield from words


def test_words_of_questions_are_in_the_lexicon() -> None:
    counts = {
        path: len([*listed_words(syntax_tree(path))])
        for path in modules()
        if room(path) in ROOMS_OF_LANGUAGE
    }
    most = Counter({str(path.relative_to(PACKAGE)): count for path, count in counts.items()})
    assert most.total() <= LISTED_WORDS_LIMIT, most.most_common(9)


def is_calculation(function: Function) -> bool:
    """True for sets, summaries, ends and neighbours, but ``count``, which many other things are called."""
    has_kind = function.in_groups or function.upper is not None or function.neighbour != 0
    return function.name != "count" and (has_kind or function.name.startswith("set_"))


def test_names_of_functions_are_in_their_tables() -> None:
    names = {function.name for function in FUNCTIONS if is_calculation(function)}
    assert len(names) == 13
    counts = Counter(
        str(path.relative_to(PACKAGE))
        for path in modules()
        for node in ast.walk(syntax_tree(path))
        if isinstance(node, ast.Constant) and node.value in names
    )
    assert all(counts.pop(table) for table in TABLES_OF_FUNCTIONS)
    assert counts.total() <= NAMES_OF_FUNCTIONS_LIMIT, counts.most_common(9)


@pytest.mark.parametrize(
    ("code", "count"),
    [
        ("SIZES = frozenset(('small', 'large', 'huge'))", 3),
        ("SIZES = {'small': 1, 'large': 2, 'huge': 3}", 3),
        ("SIZES = 'small large huge'.split()", 3),
        ("SIZES = ('small', 'large')", 0),
        ("CALLS = (small, 'large', 'huge')", 0),
        ("OPERATORS = ('<', '>', '=')", 0),
    ],
)
def test_words_are_counted_in_lists_of_them(code: str, count: int) -> None:
    assert len([*listed_words(ast.parse(code))]) == count


def test_a_class_name_has_one_meaning() -> None:
    homes = defaultdict(list)
    for name, path in module_paths().items():
        for node in ast.walk(syntax_tree(path)):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(name)
    assert not {name: places for name, places in homes.items() if len(places) > 1}


def public_definitions() -> list[tuple[str, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Public classes and functions of the public modules, and public methods of these classes."""
    definitions: list[Any] = []
    for place in PUBLIC_API:
        path = PACKAGE / place
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            scopes: list[tuple[str, ast.Module | ast.ClassDef]] = [(file.stem, syntax_tree(file))]
            for scope, parent in scopes:
                for node in parent.body:
                    if not isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                        continue
                    overload = any("overload" in ast.unparse(d) for d in node.decorator_list)
                    if node.name.startswith("_") or overload:
                        continue
                    definitions.append((f"{scope}.{node.name}", node))
                    if isinstance(node, ast.ClassDef):
                        scopes.append((f"{scope}.{node.name}", node))
    return definitions


def test_the_public_api_has_docstrings() -> None:
    definitions = public_definitions()
    assert len(definitions) > 50
    assert not [name for name, node in definitions if not ast.get_docstring(node)]


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


@pytest.mark.parametrize("name", statements.list_statements())
def test_statements_declare_what_they_use(name: str) -> None:
    found = statements.get_statement(name)
    assert found.summary.endswith(".")
    assert found.text.endswith("\n")


def test_statements_are_all_used() -> None:
    code = "\n".join(path.read_text(encoding="utf-8") for path in modules())
    by_migrations = {name for migration in migrations.MIGRATIONS for name in migration.statements}
    unused = [
        name
        for name in statements.list_statements()
        if name not in by_migrations and not re.search(rf'"{name}"', code)
    ]
    assert not unused


def test_each_schema_file_is_a_migration() -> None:
    files = {path.stem for path in (ROOT / "cypher").glob("schema_v*.cypher")}
    assert files == {f"schema_v{migration.version}" for migration in migrations.MIGRATIONS}


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
        statements.parse_statement("one", text)


def test_wrong_parameters_are_refused() -> None:
    found = statements.parse_statement("one", "// One.\n// $a: text\nRETURN $a\n")
    found.check({"a": 1})
    with pytest.raises(TypeError, match="missing a; not declared b"):
        found.check({"b": 1})


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_the_table_of_commands_says_what_each_command_says(name: str) -> None:
    module, attribute, sentence = COMMANDS[name]
    command = getattr(import_module(f"trustuqa_neo4j.cli.{module}"), attribute)
    assert isinstance(command, click.Command)
    assert (command.help or "").split("\n")[0] == sentence


def commands() -> list[tuple[str, click.Command]]:
    found = [("tuqa", main), ("tuqa-load", import_module("trustuqa_neo4j.cli.load").main)]
    for name, (module, attribute, _) in COMMANDS.items():
        command = getattr(import_module(f"trustuqa_neo4j.cli.{module}"), attribute)
        found += list_below(f"tuqa {name}", command)
    return found


@pytest.mark.parametrize(
    ("name", "command"), commands(), ids=lambda x: x if isinstance(x, str) else ""
)
def test_every_command_has_an_example(name: str, command: click.Command) -> None:
    assert "Example:" in (command.help or ""), name
    assert f"  {name}" in (command.help or ""), name


HEAVY = ("torch", "numpy", "langchain_core", "langchain_openai", "sentence_transformers", "pandas")


LIGHT_COMMANDS = """
import sys
from trustuqa_neo4j.cli import load, main
for command, words in (
    (load.main, ["--list"]), (main.main, ["--help"]), (main.main, ["neo4j", "status"]),
    (main.main, ["datasets"]), (main.main, ["drop", "nothing"]), (main.main, ["run"]),
):
    try:
        command(words)
    except SystemExit:
        pass
    heavy = [name for name in HEAVY if sys.modules.get(name)]
    if heavy:
        print("heavy after", words, heavy, file=sys.stderr)
print("all were run", file=sys.stderr)
"""


def test_no_command_that_does_not_embed_imports_what_is_heavy() -> None:
    """The database is not there on purpose: it is asked for, so the driver is imported."""
    code = f"HEAVY = {HEAVY}\n{LIGHT_COMMANDS}"
    done = subprocess.run(
        [sys.executable, "-c", code],
        input="get_information(head_entity='a', relation='b')",
        capture_output=True,
        text=True,
        env={"NEO4J_URI": "bolt://127.0.0.1:1", "TUQA_HOME": "/nonexistent", "PATH": ""},
        check=True,
    )
    lines = done.stderr.splitlines()
    assert [line for line in lines if line.startswith("heavy after ")] == []
    assert lines[-1] == "all were run"


def test_help_needs_neither_driver_nor_parser() -> None:
    code = (
        "import sys\nfrom trustuqa_neo4j.cli.main import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        "assert not {'neo4j', 'rich', 'trustuqa_neo4j.lexicon'} & set(sys.modules)"
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
