"""Ask questions of independent authors over public files: ``python -m bench.real_files``.

Each file is loaded by ``tuqa-load`` without a format. If the load is refused and the first hint names an
option, the option is followed once; otherwise the file counts as refused, with all its questions. The
questions are read without a model. The server is one of its own.

    python -m bench.real_files --part decide --cache FOLDER

The part *final* is opened once for a version that is finished: ``--final`` adds the date and the digest of
the reader's code to ``bench/final_openings.jsonl``.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.answer_verdicts import (
    Judgement,
    LabelledQuestion,
    ask_and_judge,
    render_table,
    write_failures,
)
from bench.harness import isolated_home
from trustuqa_neo4j import TrustUQA

from .files import FOLDER, PARTS, PackageFile, provide_file, read_files, read_split
from .final_openings import record_opening
from .loads import load_as_user


@dataclass(frozen=True, slots=True)
class FileResult:
    """The judgements over one file, the hint that was followed, and the message if the load failed."""

    file: PackageFile
    judgements: tuple[Judgement, ...]
    option: tuple[str, ...] = ()
    refusal: str = ""


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.real_files", description=__doc__)
    parser.add_argument("--part", choices=PARTS, default="decide")
    parser.add_argument("--cache", type=Path, required=True, help="folder of the downloaded files")
    parser.add_argument("--failures", type=Path, help="write what is not right to this file")
    parser.add_argument("--final", action="store_true", help="open the part final, and record it")
    arguments = parser.parse_args()
    if (arguments.part == "final") != arguments.final:
        parser.error("--part final and --final belong together: an opening is recorded")
    if arguments.final:
        record_opening()
    with (
        TemporaryDirectory() as home,
        isolated_home(Path(home)) as settings,
        TrustUQA.connect(settings, llm="demonstrations", embedder="none") as tuqa,
    ):
        results = list(ask_part(tuqa, arguments.part, arguments.cache, Path(home)))
    judgements = [judgement for result in results for judgement in result.judgements]
    print(render_table(judgements))
    for result in results:
        if result.refusal:
            print(f"refused: {result.file.id}: {result.refusal}")
        elif result.option:
            print(f"loaded with {' '.join(result.option)}: {result.file.id}")
    if arguments.failures:
        write_failures(judgements, arguments.failures)


def read_questions(ids: list[str]) -> dict[str, list[LabelledQuestion]]:
    """Return the questions of the files; the category of a question is its file."""
    by_file: dict[str, list[LabelledQuestion]] = {name: [] for name in ids}
    for line in (FOLDER / "questions.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if record["file"] in by_file:
            by_file[record["file"]].append(LabelledQuestion.from_record(record, "file"))
    return by_file


def ask_part(tuqa: TrustUQA, part: str, cache: Path, home: Path) -> Iterator[FileResult]:
    files = read_files()
    for name, questions in read_questions(read_split()[part]).items():
        path = provide_file(files[name], cache)
        load = load_as_user(path, name, home)
        if load.refusal:
            judgements = [
                Judgement(question, "refused", error=load.refusal) for question in questions
            ]
        else:
            judgements = [ask_and_judge(tuqa, question, name) for question in questions]
            tuqa.drop(name)
        print(f"asked {name}", file=sys.stderr, flush=True)
        yield FileResult(files[name], tuple(judgements), load.option, load.refusal)


if __name__ == "__main__":
    main()
