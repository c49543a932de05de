"""A load survives kill -9, of itself and of the server, at whatever moment: exact in the end, unseen before.

TUQA_KILLS says how often; each time some batches further on, at a moment in between that is left to chance.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.homes import MakeHome, homes_with_jars, servers
from support.paused_load import paused_load

from trustuqa_neo4j import Settings, TrustUQA, embedded
from trustuqa_neo4j.errors import IncompleteDataset

pytestmark = [pytest.mark.embedded, pytest.mark.long]

KILLS = int(os.environ.get("TUQA_KILLS", "2"))
FACTS = 8_000


@pytest.fixture
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MakeHome]:
    with homes_with_jars(tmp_path_factory) as make:
        yield make


def start(home: Path, path: Path, limit: int, go_on: Path) -> subprocess.Popen[bytes]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("NEO4J_")}
    return subprocess.Popen(
        [*paused_load(limit, go_on), "kg", path.name, "--dataset", "d", "--batch-size", "250"],
        cwd=path.parent,
        env=kept | {"TUQA_HOME": str(home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def wait_for(tuqa: TrustUQA, load: subprocess.Popen[bytes], facts: int) -> None:
    """Until the dataset has ``facts``."""
    deadline = time.monotonic() + 300
    while sum(d.facts for d in tuqa.datasets()) < facts:
        assert load.poll() is None, load.communicate(timeout=300)
        assert time.monotonic() < deadline
        time.sleep(0.05)  # each look costs the server time that the load needs
    # Somewhere in the next batches.
    time.sleep(random.random() / 10)


def test_killed_at_random_moments(home: MakeHome, tmp_path: Path) -> None:
    folder = home()
    path = tmp_path / "f.tsv"
    facts = {(f"h{n % 997}", f"r{n % 7}", f"t{n % 5003}") for n in range(FACTS)}
    path.write_text("".join("\t".join(fact) + "\n" for fact in sorted(facts)))
    settings = Settings(home=folder, neo4j_version=Settings.read().neo4j_version)
    done = 0
    for kill in range(KILLS):
        limit, go_on = done + (len(facts) - done) // (KILLS - kill + 1), tmp_path / f"go on {kill}"
        load = start(folder, path, limit, go_on)
        with TrustUQA.connect(embedded.ensure_running(settings)) as tuqa:
            wait_for(tuqa, load, done + 250)
            if kill % 2:
                for server in servers(folder):
                    server.send_signal(signal.SIGKILL)
                go_on.touch()  # the next batch fails
                _, said = load.communicate(timeout=300)
                assert (load.returncode, said.split(b":")[0]) == (3, b"error")
            else:
                load.kill()
                load.communicate(timeout=300)
        with TrustUQA.connect(embedded.ensure_running(settings)) as tuqa:
            (found,) = tuqa.datasets()
            assert not found.complete
            assert done < found.facts < len(facts)
            done = found.facts
            with pytest.raises(IncompleteDataset):
                tuqa.run("get_information(head_entity='h1', relation='r1')", "d")
    load = start(folder, path, len(facts), tmp_path)
    out, said = load.communicate(timeout=300)
    assert load.returncode == 0, said
    assert b"went on after" in out
    with TrustUQA.connect(embedded.ensure_running(settings)) as tuqa:
        (found,) = tuqa.datasets()
        assert (found.complete, found.facts) == (True, len(facts))
        with tuqa.connection.driver.session() as session:
            stored = session.run(
                "MATCH (h:Node {dataset: 'd'})-[f:FACT]->(t) RETURN h.key, f.relation, t.key"
            )
            rows = [tuple(record.values()) for record in stored]
        assert len(rows) == len(facts)
        assert set(rows) == facts
        assert found.nodes == len({name for h, _, t in facts for name in (h, t)})
    embedded.EmbeddedServer.from_settings(settings).stop()
