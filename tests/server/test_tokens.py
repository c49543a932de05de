"""Named tokens: each may do what its rights say, with its datasets, and sees nothing of the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client
from starlette.testclient import TestClient
from support.pages import SCRIPT, STARRING
from support.web import BEARER, load_in_threads, open_client, run_server

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.errors import BadSettings, UsageError
from trustuqa_neo4j.server.tokens import RIGHTS, TokenFile

API = "/api/v1"
COMMANDER = "get_information(relation='mission', tail_entity='Apollo 13', key='commander')"
SECRETS = ("films", "Ridley", "Weaver", "directed by")
"""What only the other dataset has; of a path that names it, its name is no secret."""


@pytest.fixture
def tokens(tmp_path: Path) -> TokenFile:
    return TokenFile(tmp_path / "home")


@pytest.fixture
def web(
    films: TrustUQA,
    missions: Path,
    tokens: TokenFile,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[TestClient]:
    """A server that allows everything, over two datasets."""
    load_in_threads(monkeypatch)
    home = tmp_path / "home"
    with open_client(films, tmp_path, allow_load=True, allow_teach=True, home=home) as web:
        yield web


def bearer(tokens: TokenFile, name: str, rights: Sequence[str], *datasets: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {tokens.make(name, rights, datasets)}"}


def test_a_token_is_known_at_once_and_ends_at_once(web: TestClient, tokens: TokenFile) -> None:
    headers = bearer(tokens, "anna", ["ask"])
    assert web.get(f"{API}/datasets", headers=headers).status_code == 200
    # The session of a browser ends with the token that it has shown.
    page = web.get(f"/?token={headers['Authorization'].split()[1]}", headers={"Authorization": ""})
    assert page.status_code == 303
    session = {"Authorization": ""}
    assert web.get("/", headers=session).status_code == 200
    tokens.revoke("anna")
    for shown in (headers, session):
        response = web.get(f"{API}/datasets", headers=shown)
        assert response.status_code == 401
        assert "revoked" in response.json()["detail"]
    assert web.get(f"{API}/datasets").status_code == 200


def test_only_a_hash_is_stored(tokens: TokenFile, tmp_path: Path) -> None:
    token = tokens.make("anna", ["ask"])
    path = tmp_path / "home" / "serve-tokens.json"
    assert token not in path.read_text()
    assert len(token) > 40
    assert path.stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "home").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    ("name", "rights", "datasets", "message"),
    [
        ("a b", ["ask"], [], "not a name"),
        ("", ["ask"], [], "not a name"),
        ("../x", ["ask"], [], "not a name"),
        ("x", ["fly"], [], "no right 'fly'"),
        ("x", [], [], "without rights"),
        ("x", ["ask"], [" "], "without a name"),
        ("anna", ["ask"], [], "already"),
    ],
)
def test_bad_tokens_are_refused(
    tokens: TokenFile, name: str, rights: list[str], datasets: list[str], message: str
) -> None:
    tokens.make("anna", ["ask"])
    with pytest.raises(UsageError, match=message):
        tokens.make(name, rights, datasets)
    with pytest.raises(UsageError, match="no token 'bert'"):
        tokens.revoke("bert")
    assert [token.name for token in tokens.read()] == ["anna"]


def test_a_file_that_is_damaged_or_open_to_others_opens_nothing(
    web: TestClient, tokens: TokenFile, tmp_path: Path
) -> None:
    headers = bearer(tokens, "anna", ["ask"])
    path = tmp_path / "home" / "serve-tokens.json"
    whole = path.read_text()
    for text, mode, message in (
        ("[", 0o600, "damaged"),
        (whole.replace('"ask"', '"fly"'), 0o600, "damaged"),
        (whole, 0o644, "others can use it"),
    ):
        path.write_text(text)
        path.chmod(mode)
        response = web.get(f"{API}/datasets", headers=headers)
        assert (response.status_code, response.json()["title"]) == (503, "tokens not readable")
        assert str(path) not in response.text
        assert web.get(f"{API}/datasets").status_code == 200  # the printed token is not in the file
        with pytest.raises(BadSettings, match=message):
            tokens.make("bert", ["ask"])
    path.unlink()
    path.symlink_to("elsewhere")
    with pytest.raises(BadSettings, match="a link"):
        tokens.read()


def test_every_route_needs_a_right(web: TestClient, tokens: TokenFile) -> None:
    """No token has all that a path needs if it lacks one right; the description and files are open."""
    open_paths = {"/healthz", f"{API}/openapi.json", "/static"}
    every = [r for r in web.app.routes if r.path not in open_paths]  # type: ignore[attr-defined]
    refused: dict[tuple[str, str], list[str]] = {}
    for right in RIGHTS:
        headers = bearer(tokens, f"no-{right}", [other for other in RIGHTS if other != right])
        for route in every:
            path = route.path.replace(":path", "").replace(":int", "").replace("{fact}", "1")
            for method in (route.methods or {"POST"}) - {"HEAD"}:
                # Nothing is sent that could change anything.
                response = web.request(method, path, headers=headers)
                if response.status_code == 403 and repr(right) in response.text.replace(
                    "&#39;", "'"
                ):
                    refused.setdefault((method, route.path), []).append(right)
                elif path == "/metrics":
                    assert response.status_code == 403
                    refused[method, route.path] = ["owner"]
    expected = {(m, r.path) for r in every for m in (r.methods or {"POST"}) - {"HEAD"}}
    assert {*refused} == expected
    assert all(len(rights) == 1 for rights in refused.values()), refused
    assert refused["DELETE", f"{API}/datasets/{{dataset:path}}"] == ["manage"]
    assert refused["POST", "/mcp"] == ["ask"]


@pytest.mark.parametrize("right", ["teach", "load", "manage"])
def test_rights_are_within_those_of_the_server(
    films: TrustUQA, tokens: TokenFile, tmp_path: Path, right: str
) -> None:
    headers = bearer(tokens, "all", RIGHTS)
    calls = {
        "teach": ("POST", f"{API}/datasets/films/demonstrations"),
        "load": ("POST", f"{API}/loads"),
        "manage": ("DELETE", f"{API}/datasets/films"),
    }
    with open_client(films, tmp_path, home=tmp_path / "home") as web:
        problem = web.request(*calls[right], headers=headers).json()
    assert problem["detail"] == f"this server may not {right}"
    assert problem["hint"].startswith("start it with --allow-")


def test_the_page_shows_what_the_token_may_do(web: TestClient, tokens: TokenFile) -> None:
    headers = {"Accept": "text/html", "Sec-Fetch-Site": "same-origin"}
    for name, rights, forms in (("reader", ["ask"], False), ("all", RIGHTS, True)):
        token = bearer(tokens, name, rights) | headers
        assert ("/data/preview" in web.get("/data", headers=token).text) is forms
        assert ("Delete this dataset" in web.get("/data/films", headers=token).text) is forms
    refused = web.post("/data/sample", headers=bearer(tokens, "other", ["ask"]) | headers)
    assert refused.status_code == 403
    assert "lacks the right" in refused.text


def read_paths(answer: str) -> list[str]:
    """Addresses that would show the films, or an answer about them."""
    return [
        "/", "/data", "/data/films", "/examples", "/examples?dataset=films", "/around?name=Alien",
        "/around?name=Alien&dataset=films", "/ask?question=who+directed+Alien",
        "/ask?question=who+directed+Alien&dataset=films", answer, f"{answer}.csv",
        f"{answer}.json", f"{answer}/facts/1/lines", f"{API}/datasets",
        f"{API}/datasets/films/schema", f"{API}/datasets/films/demonstrations",
        f"{API}/datasets/films/feedback", f"{API}/loads", "/v1/models", "/v1/models/films",
    ]  # fmt: skip


def test_a_token_of_one_dataset_sees_nothing_of_another(web: TestClient, tokens: TokenFile) -> None:
    owner_answer = web.post(
        "/run",
        data={"query": STARRING, "dataset": "films"},
        headers={"Sec-Fetch-Site": "same-origin"},
    ).headers["location"]
    assert "Weaver" in web.get(owner_answer).text
    headers = bearer(tokens, "anna", RIGHTS, "missions")
    for path in read_paths(owner_answer):
        for shown in (headers, headers | SCRIPT):
            text = web.get(path, headers=shown).text
            secrets = [s for s in SECRETS if s in text and not (s == "films" and s in path)]
            assert secrets == [], path
    (dataset,) = web.get(f"{API}/datasets", headers=headers).json()
    assert dataset["name"] == "missions"
    for call, body in (
        ("ask", {"question": "who directed Alien"}),
        ("run", {"query": STARRING}),
        ("check", {"query": STARRING}),
    ):
        here = web.post(f"{API}/{call}", json=body, headers=headers)
        assert [secret for secret in SECRETS if secret in here.text] == []
        there = web.post(f"{API}/{call}", json=body | {"dataset": "films"}, headers=headers)
        assert there.status_code == 404
        assert "missions" in there.json()["hint"]
    for message in ("who directed Alien", "1"):
        chat = {"model": "films", "messages": [{"role": "user", "content": message}]}
        assert web.post("/v1/chat/completions", json=chat, headers=headers).status_code == 404
    own = web.post(f"{API}/run", json={"query": COMMANDER}, headers=headers).json()
    assert own["values"] == ["Jim Lovell"]


def test_a_token_of_one_dataset_changes_no_other(
    web: TestClient, films: TrustUQA, tokens: TokenFile
) -> None:
    headers = bearer(tokens, "anna", RIGHTS, "missions", "own")
    taught = {"question": "who starred in Alien", "query": STARRING}
    path = f"{API}/datasets/films"
    assert web.post(f"{path}/demonstrations", json=taught, headers=headers).status_code == 404
    assert web.post(f"{path}/feedback", json=taught, headers=headers).status_code == 404
    assert web.delete(path, headers=headers).status_code == 404
    for old, new in (("films", "own"), ("missions", "other"), ("missions", "films")):
        rename = {"name": new}
        response = web.patch(f"{API}/datasets/{old}", json=rename, headers=headers)
        assert (response.status_code, "scope" in response.json()["detail"]) == (404, True)
    form = {"dataset": "films", "question": "who starred in Alien"}
    assert web.post("/unteach", data=form, headers=headers).status_code == 404
    for mode in ("new", "append", "replace-all"):
        load = {"dataset": "films", "mode": mode}
        files = {"file": ("a.csv", "a,b\n1,2\n")}
        assert web.post(f"{API}/loads", data=load, files=files, headers=headers).status_code == 404
    assert web.post("/data/sample", headers=headers).status_code == 404
    assert "films" in {dataset.name for dataset in films.datasets()}
    # Its own dataset need not exist yet; a preview without a name is one of its own.
    files = {"file": ("a.csv", "name,wins\nAnna,2\n")}
    preview = web.post(f"{API}/loads", data={"preview": "true"}, files=files, headers=headers)
    assert preview.status_code == 200, preview.text
    job = web.post(f"{API}/loads", data={"dataset": "own"}, files=files, headers=headers).json()
    web.get(f"{API}/loads/{job['id']}", headers=headers | {"Accept": "text/event-stream"})
    assert web.get(f"{API}/loads/{job['id']}", headers=headers).json()["state"] == "finished"
    other = bearer(tokens, "bert", RIGHTS, "missions")
    assert web.get(f"{API}/loads/{job['id']}", headers=other).status_code == 404
    assert web.get(f"{API}/loads", headers=other).json() == []
    assert web.delete(f"{API}/datasets/own", headers=headers).status_code == 200


def test_loads_of_an_earlier_dataset_of_the_name_are_not_shown(
    web: TestClient, films: TrustUQA, tokens: TokenFile, tmp_path: Path
) -> None:
    headers = bearer(tokens, "anna", RIGHTS, "own")
    files = {"file": ("a.csv", "name,wins\nAnna,2\n")}
    path = (
        f"{API}/loads/{web.post(f'{API}/loads', data={'dataset': 'own'}, files=files).json()['id']}"
    )
    web.get(path, headers={"Accept": "text/event-stream"})

    def list_seen() -> list[int]:
        listed = len(web.get(f"{API}/loads", headers=headers).json())
        return [listed, web.get(path, headers=headers).status_code]

    assert list_seen() == [1, 200]
    films.rename("own", "other")
    assert list_seen() == [0, 404]
    (tmp_path / "own.csv").write_text("name,wins\nBert,3\n")
    films.load(tmp_path / "own.csv")
    assert list_seen() == [0, 404]
    assert web.get(path).status_code == 200
    films.drop("own")
    films.rename("other", "own")
    assert list_seen() == [1, 200]


def test_the_preview_of_a_dataset_outside_the_token_names_the_token(
    web: TestClient, tokens: TokenFile
) -> None:
    headers = bearer(tokens, "anna", RIGHTS, "missions")
    load = {"preview": "true", "dataset": "films"}
    files = {"file": ("a.csv", "a,b\n1,2\n")}
    response = web.post(f"{API}/loads", data=load, files=files, headers=headers)
    assert response.status_code == 404
    assert response.json()["detail"] == "no dataset 'films' in this token's scope"


def test_previews_belong_to_those_who_may_see_their_datasets(
    web: TestClient, tokens: TokenFile
) -> None:
    owner = {"Sec-Fetch-Site": "same-origin"}
    files = {"file": ("a.csv", "name,wins\nAnna,2\n")}
    address = web.post("/data/preview", files=files, headers=owner).headers["location"]
    anna = owner | bearer(tokens, "anna", RIGHTS, "missions")
    assert web.get(address, headers=owner).status_code == 200
    assert web.get(address, headers=anna).status_code == 404
    load = {"preview": address.rpartition("/")[2], "dataset": "missions", "mode": "append"}
    assert web.post("/data/load", data=load, headers=anna).status_code == 404
    own = web.post("/data/preview", files=files, headers=anna).headers["location"]
    assert 'value="missions"' in web.get(own, headers=anna).text


def test_an_absent_dataset_of_a_token_names_no_other(web: TestClient, tokens: TokenFile) -> None:
    headers = bearer(tokens, "anna", ["ask"], "film")
    for path, query in (("run", STARRING), ("check", STARRING)):
        body = {"query": query, "dataset": "film"}
        response = web.post(f"{API}/{path}", json=body, headers=headers)
        assert response.status_code == 404
        assert "films" not in response.text
        assert "did you mean 'films'" in web.post(f"{API}/{path}", json=body).json()["hint"]


def test_a_token_ends_no_session_of_another(web: TestClient, tokens: TokenFile) -> None:
    texts = [tokens.make(name, ["ask"]) for name in ("anna", "bert")]
    none = {"Authorization": ""}

    def begin(token: str) -> str:
        web.cookies.clear()
        assert web.get("/", params={"token": token}, headers=none).status_code == 303
        return "; ".join(f"{name}={text}" for name, text in web.cookies.items())

    first = begin(texts[0])
    of_other = [begin(texts[1]) for _ in range(101)]
    web.cookies.clear()
    cookies = (first, of_other[0], of_other[1])
    shown = [web.get("/", headers=none | {"Cookie": cookie}) for cookie in cookies]
    assert [page.status_code for page in shown] == [200, 401, 200]


def test_only_the_first_token_of_an_address_is_looked_up(
    web: TestClient, tokens: TokenFile
) -> None:
    token = tokens.make("anna", ["ask"])
    none = {"Authorization": ""}
    assert web.get(f"/?token={token}&token=x", headers=none).status_code == 303
    web.cookies.clear()
    assert web.get(f"/?token=x&token={token}", headers=none).status_code == 401


def test_a_token_of_a_deleted_dataset_says_so(
    web: TestClient, films: TrustUQA, tokens: TokenFile
) -> None:
    headers = bearer(tokens, "anna", ["ask"], "missions")
    films.drop("missions")
    for body in ({"query": STARRING}, {"query": STARRING, "dataset": "missions"}):
        response = web.post(f"{API}/run", json=body, headers=headers)
        assert response.status_code == 404
        problem = response.json()
        assert "missions" in problem["detail"]
        assert "client" not in problem["detail"] + problem["hint"]
        assert "films" not in response.text


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_agents_with_a_token_have_its_rights_and_datasets(
    films: TrustUQA, missions: Path, tokens: TokenFile, tmp_path: Path, mode: Any
) -> None:
    headers = bearer(tokens, "agent", ["ask"], "missions")
    options: dict[str, Any] = {
        "allow_teach": True, "home": tmp_path / "home", "agent_folder": tmp_path,
    }  # fmt: skip
    with run_server(films, tmp_path, **options) as address:

        async def call(shown: dict[str, str], *calls: tuple[str, dict[str, Any]]) -> list[Any]:
            async with create_mcp_http_client(headers=shown) as http:
                transport = streamable_http_client(f"{address}mcp", http_client=http)
                async with Client(transport, mode=mode) as client:
                    return [await client.call_tool(*words) for words in calls]

        run = {"query": STARRING, "dataset": "films"}
        (owner,) = anyio.run(call, BEARER, ("run_query", run))
        asked = {"question": "who starred in Alien", "query": COMMANDER, "dataset": "missions"}
        listed, own, *refused = anyio.run(
            call,
            headers,
            ("list_datasets", {}),
            ("run_query", {"query": COMMANDER}),
            ("run_query", run),
            ("ask", {"question": "who directed Alien", "dataset": "films"}),
            ("describe", {"dataset": "films"}),
            ("find_names", {"text": "Alien", "dataset": "films"}),
            ("evidence", {"answer": owner.structured_content["answer"]}),
            ("ask", {"question": "and Jaws", "follows": owner.structured_content["answer"]}),
            ("teach", asked),
            ("load", {"path": str(missions), "dataset": "missions"}),
            ("load", {"path": "absent.csv", "dataset": "missions"}),
        )
    assert [entry["name"] for entry in listed.structured_content["datasets"]] == ["missions"]
    assert own.structured_content["values"] == ["Jim Lovell"]
    texts = [content.content[0].text for content in refused]
    assert all(content.is_error for content in refused)
    assert not [text for text in texts if "Weaver" in text or "Ridley" in text]
    assert "'teach'" in texts[-3]
    # It does not learn which files there are.
    assert "'load'" in texts[-1]
    assert texts[-2] == texts[-1]
