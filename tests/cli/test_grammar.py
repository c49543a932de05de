"""``tuqa grammar``."""

from __future__ import annotations

import pytest
from click.testing import CliRunner
from support.gbnf import Grammar
from support.shell import shell

from trustuqa_neo4j import Settings, TrustUQA
from trustuqa_neo4j.cli.main import main
from trustuqa_neo4j.language.gbnf import write_gbnf


@pytest.mark.parametrize("options", [["--gbnf"], []])
def test_the_grammar_is_printed(options: list[str]) -> None:
    result = CliRunner().invoke(main, ["grammar", *options])
    assert (result.exit_code, result.stdout) == (0, write_gbnf())


def test_relations_of_a_dataset(server: Settings, films: TrustUQA) -> None:
    grammar = Grammar(shell(server, "tuqa", "grammar", "--dataset", "films").out)
    query = "## Query:\nStep1: Find it\nQuery1: \"get_information(head_entity='A', relation='{}')\""
    assert grammar.accepts(query.format("directed by"))
    assert not grammar.accepts(query.format("budget"))
    done = shell(server, "tuqa", "grammar", "--dataset", "flims")
    assert (done.code, done.out) == (1, "")
