"""Nearness on real names: aliases of Freebase, slips in names of films, columns of Wikipedia's tables."""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
import re
import tarfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rapidfuzz import fuzz, process

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.embedding import open_embedder
from trustuqa_neo4j.matching import normalize_name, score_names
from trustuqa_neo4j.matching.similarity import RELATION_THRESHOLD_BY_LETTERS
from trustuqa_neo4j.reads.nearest import Pool, near_nodes

pytestmark = [pytest.mark.packs, pytest.mark.long]

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def columns(path: Path) -> Iterator[tuple[str, str]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        key, _, name = line.partition("\t")
        yield key, name


def test_aliases_find_names_better_than_the_nearest_vector_does(packs: Path) -> None:
    """The list of aliases withheld."""
    names: dict[str, set[str]] = defaultdict(set)
    texts = []
    for key, name in columns(packs / "webqsp" / "names.tsv"):
        names[key].add(normalize_name(name))
        texts.append(name)
    chosen = random.Random(7).sample(list(columns(packs / "webqsp" / "aliases.tsv")), 1_000)
    with open_embedder() as encoder:
        vectors = encoder.encode_all(texts)
        cosines = encoder.encode_all([alias for _, alias in chosen]) @ vectors.T
    folded = [normalize_name(text) for text in texts]
    initials: dict[str, list[int]] = defaultdict(list)
    for place, name in enumerate(folded):
        initials["".join(word[0] for word in name.split())].append(place)
    counted = np.zeros(4)
    for (key, alias), row in zip(chosen, cosines, strict=True):
        by_meaning = np.argsort(-row)[:150].tolist()
        by_letters = process.extract(
            normalize_name(alias), folded, scorer=fuzz.token_ratio, limit=150
        )
        shortened = initials[normalize_name(alias).replace(" ", "")]
        pool = sorted({*by_meaning, *shortened, *(place for _, _, place in by_letters)})
        found = score_names(alias, [(i, texts[i]) for i in pool], row[pool].tolist())[:20]
        dense = [folded[i] in names[key] for i in by_meaning[:20]]
        ours = [normalize_name(near.name) in names[key] for near in found]
        counted += [dense[0], ours[0], any(dense), any(ours)]
    alone, first, alone_in_twenty, in_twenty = counted / len(chosen)
    assert first >= 0.54
    assert first > alone
    assert in_twenty >= 0.74
    assert in_twenty >= alone_in_twenty + 0.03


def misspelt(name: str, chance: random.Random) -> str:
    """One letter put in, left out, changed, or swapped with the next."""
    at, letter = chance.randrange(1, len(name)), chance.choice(LETTERS)
    before, here, after = name[:at], name[at], name[at + 1 :]
    return chance.choice(
        [
            before + letter + here + after,
            before + after,
            before + letter + after,
            before + after[:1] + here + after[1:],
        ]
    )


def test_slips_are_seen_through_by_the_index_of_words(client: TrustUQA, metaqa: Any) -> None:
    """Among 43,000 names and without vectors; names that differ in case or accents only are twins."""
    with client.connection.driver.session() as session:
        session.run("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()").consume()
    names = sorted({n for head, _, tail in metaqa.facts for n in (head, tail) if len(n) > 3})
    chance = random.Random(7)
    chosen = [n for n in chance.sample(names, 300) if not re.search(r"\d", n)]
    right = twins = 0
    for name in chosen:
        given = misspelt(name, chance)
        pool = Pool((), "any", None, 10**9)
        found = client.connection.read(
            lambda reader, given=given, pool=pool: near_nodes(
                reader, given, [metaqa.dataset], pool, False
            )
        )
        right += bool(found) and found[0].name == name
        twins += bool(found) and normalize_name(found[0].name) == normalize_name(name)
    assert len(chosen) > 250
    assert right >= 0.9 * len(chosen)
    assert twins >= 0.97 * len(chosen)


def test_columns_that_models_shorten_are_found(packs: Path) -> None:
    """Relations of recorded queries that begin a header: ``Weight`` for ``Weight\\n(kg)``.

    What the recorded queries name besides is no column of the table; it is below the threshold.
    """
    heads: dict[str, list[str]] = {}
    with tarfile.open(packs / "wtq" / "tables.tar.gz") as archive:
        for member in archive:
            file = archive.extractfile(member)
            if file is not None:
                text = io.StringIO(file.read().decode("utf-8"), newline="")
                heads[member.name] = next(csv.reader(text, escapechar="\\", doublequote=False))
    right = shortened = foreign = taken = 0
    for given, head in asked(packs, heads):
        best = score_names(given, [(None, column) for column in head])[0]
        starts = [c for c in head if normalize_name(c).startswith(f"{normalize_name(given)} ")]
        if len(starts) == 1:
            shortened += 1
            right += best.name == starts[0] and best.score >= RELATION_THRESHOLD_BY_LETTERS
        elif not any(
            set(normalize_name(given).split()) & set(normalize_name(c).split()) for c in head
        ):
            foreign += 1
            taken += best.score >= RELATION_THRESHOLD_BY_LETTERS
    assert shortened >= 30
    assert right >= 0.95 * shortened
    assert foreign >= 30
    assert taken <= 0.15 * foreign


def asked(packs: Path, heads: dict[str, list[str]]) -> Iterator[tuple[str, list[str]]]:
    """Relations that the table has not, as each recorded query names them, with the table's columns."""
    seen = set()
    with gzip.open(packs / "wtq" / "llm_queries.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            if not record["llm_output"] or not record["examples"]:
                continue
            table = record["examples"][0]["table"]
            known = {normalize_name(column) for column in heads[table]} | {"row number"}
            for given in re.findall(r"relation='([\w ]+)'", record["llm_output"]):
                if normalize_name(given) not in known and (given, table) not in seen:
                    seen.add((given, table))
                    yield given, heads[table]
