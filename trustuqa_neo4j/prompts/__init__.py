"""Prompts for a language model: instruction, schema, demonstrations, question, and repair of a reply."""

from .context import (
    FEW_RELATIONS,
    find_entity_neighbourhoods,
    relation_similarity,
    sample_heads,
    sample_rows,
)
from .prompt import Prompt, PromptPart, build_prompt
from .prompt_input import (
    FEW_TABLES,
    MAX_TABLES,
    EntityNeighbourhood,
    NeighbourFact,
    PromptInput,
    RelationKey,
    SampleRow,
    TableKey,
    count_tables,
    detailed_tables,
)
from .question_hints import QuestionHints, make_hints
from .repair import repair_prompt

__all__ = [
    "FEW_RELATIONS",
    "FEW_TABLES",
    "MAX_TABLES",
    "EntityNeighbourhood",
    "NeighbourFact",
    "Prompt",
    "PromptInput",
    "PromptPart",
    "QuestionHints",
    "RelationKey",
    "SampleRow",
    "TableKey",
    "build_prompt",
    "count_tables",
    "detailed_tables",
    "find_entity_neighbourhoods",
    "make_hints",
    "relation_similarity",
    "repair_prompt",
    "sample_heads",
    "sample_rows",
]
