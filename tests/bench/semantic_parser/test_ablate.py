from __future__ import annotations

import pytest
from click import BadParameter
from click.testing import CliRunner

from bench.semantic_parser.ablate import compare_counts, leave_out, list_parts, main, read_sets
from bench.semantic_parser.contrast_corpus import read_contrast_questions
from bench.semantic_parser.corpus import read_own_questions
from bench.semantic_parser.measurement import attempt
from bench.semantic_parser.memory_graph import MemoryGraph
from trustuqa_neo4j.lexicon.lexicon import load_graph_lexicon, load_lexicon
from trustuqa_neo4j.semantic_parser.question import read_question
from trustuqa_neo4j.semantic_parser.ranker import load_weights
from trustuqa_neo4j.semantic_parser.table_parser import parse_for_table


def test_a_difference_is_of_the_same_questions() -> None:
    before, after = [True, True, False, False], [True, False, False, False]
    difference = compare_counts(before, after)
    assert (difference.before, difference.after, difference.size) == (2, 1, 4)
    assert difference.half_width == pytest.approx(1.96 * (1 - 1 / 4) ** 0.5)


def test_equal_outcomes_have_no_interval() -> None:
    assert compare_counts([True, False], [True, False]).half_width == 0


def test_a_section_comes_back() -> None:
    with leave_out(["section:questions.synonyms", "section:questions.fillers"]):
        assert not load_lexicon().fillers
        assert load_lexicon().decisive
    assert load_lexicon().fillers
    assert load_graph_lexicon().fillers


@pytest.mark.parametrize("part", tuple(list_parts()))
def test_the_parser_runs_without_a_part(part: str) -> None:
    table = next(iter(read_own_questions())).table
    with leave_out([part]):
        parsed = parse_for_table(read_question("how many are there"), table, load_weights("table"))
    assert isinstance(parsed.readings, tuple)


def test_a_feature_is_taken_out_of_the_weights() -> None:
    weights = load_weights("table")
    name = next(iter(weights.weights))
    with leave_out([f"feature:{name}"]) as reduce:
        assert name not in reduce(weights).weights


@pytest.mark.parametrize("part", ["rule", "gate:all", "section:questions.nothing"])
def test_what_is_not_a_part_is_refused(part: str) -> None:
    with pytest.raises(BadParameter), leave_out([part]):
        pass


def test_a_command_without_parts_says_what_to_name() -> None:
    ran = CliRunner().invoke(main, [])
    assert ran.exit_code == 2
    assert "--list" in ran.output


@pytest.mark.parametrize("kind", ["table", "graph"])
def test_contrast_questions_are_read_in_memory(kind: str) -> None:
    cases = list(read_contrast_questions(kind, limit=30))
    assert {isinstance(case.data, MemoryGraph) for case in cases} == {kind == "graph"}
    attempts = attempt(cases, load_weights(kind))
    assert any(entry.rank == 0 for entry in attempts)
    assert not any(case.is_right(("no such name",)) for case in cases)
    assert f"contrast {kind}s" in [entry.name for entry in read_sets()]
