"""``tuqa grammar``."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from trustuqa_neo4j.cli.main import main
from trustuqa_neo4j.language.gbnf import write_gbnf


@pytest.mark.parametrize("options", [["--gbnf"], []])
def test_the_grammar_is_printed(options: list[str]) -> None:
    result = CliRunner().invoke(main, ["grammar", *options])
    assert (result.exit_code, result.stdout) == (0, write_gbnf())
