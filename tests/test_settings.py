"""Where settings come from: option, environment, ``tuqa.toml`` here, that of the user, default."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import platformdirs
import pytest

from trustuqa_neo4j import Settings
from trustuqa_neo4j.consent import Consents, make_digest
from trustuqa_neo4j.errors import BadSettings, HomeNotUsable

KNOWN = (
    "known are neo4j.database, neo4j.password, neo4j.source_password, neo4j.source_username, neo4j.uri, "
    "neo4j.username, openai.api_key, openai.base_url, serve.agent_token, serve.token, "
    "tuqa.disk_reserve, tuqa.embedder, tuqa.home, tuqa.jar_mirror, tuqa.llm, "
    "tuqa.llm_extra_body, tuqa.llm_prices, tuqa.llm_reasoning_effort, tuqa.llm_reply_tokens, tuqa.llm_seed, "
    "tuqa.llm_temperature, tuqa.neo4j_heap, tuqa.neo4j_page_cache, tuqa.neo4j_version"
)


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's configuration folder."""
    folder = tmp_path / "config"
    folder.mkdir()
    monkeypatch.setattr(platformdirs, "user_config_dir", lambda *_: str(folder))
    return folder


@pytest.fixture
def here(tmp_path: Path, user: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder; the environment says nothing."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    data = tmp_path / "data"
    monkeypatch.setattr(platformdirs, "user_data_dir", lambda *_: str(data))
    for name in [n for n in os.environ if n.startswith(("NEO4J_", "TUQA_", "OPENAI_"))]:
        monkeypatch.delenv(name)
    return folder


def write(folder: Path, text: str) -> Path:
    """A file that the user has allowed."""
    path = write_unasked(folder, text)
    Consents.of_user().add(make_digest(path, path.read_bytes()), path)
    return path


def write_unasked(folder: Path, text: str) -> Path:
    path = folder / "tuqa.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_defaults(here: Path) -> None:
    settings = Settings.read()
    assert settings == Settings()
    assert settings.uri is None
    assert settings.username == "neo4j"
    assert settings.password is None
    assert settings.database is None
    assert settings.home == Path(platformdirs.user_data_dir("tuqa", False))
    assert settings.neo4j_version is None
    assert settings.jar_mirror is None


SETTINGS = [
    ("uri", "NEO4J_URI", "neo4j", "uri"),
    ("username", "NEO4J_USERNAME", "neo4j", "username"),
    ("username", "NEO4J_USER", "neo4j", "username"),
    ("password", "NEO4J_PASSWORD", "neo4j", "password"),
    ("database", "NEO4J_DATABASE", "neo4j", "database"),
    ("source_username", "NEO4J_SOURCE_USERNAME", "neo4j", "source_username"),
    ("source_password", "NEO4J_SOURCE_PASSWORD", "neo4j", "source_password"),
    ("home", "TUQA_HOME", "tuqa", "home"),
    ("llm", "TUQA_LLM", "tuqa", "llm"),
    ("llm_prices", "TUQA_LLM_PRICES", "tuqa", "llm_prices"),
    ("openai_api_key", "OPENAI_API_KEY", "openai", "api_key"),
    ("openai_base_url", "OPENAI_BASE_URL", "openai", "base_url"),
    ("openai_base_url", "OPENAI_API_BASE", "openai", "base_url"),
    ("neo4j_version", "TUQA_NEO4J_VERSION", "tuqa", "neo4j_version"),
    ("jar_mirror", "TUQA_JAR_MIRROR", "tuqa", "jar_mirror"),
    ("disk_reserve", "TUQA_DISK_RESERVE", "tuqa", "disk_reserve"),
    ("neo4j_heap", "TUQA_NEO4J_HEAP", "tuqa", "neo4j_heap"),
    ("neo4j_page_cache", "TUQA_NEO4J_PAGE_CACHE", "tuqa", "neo4j_page_cache"),
]


@pytest.mark.parametrize(("name", "variable", "section", "key"), SETTINGS)
def test_what_stands_nearer_to_the_command_wins(
    here: Path,
    user: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    variable: str,
    section: str,
    key: str,
) -> None:
    def value(**options: str | None) -> str:
        return str(getattr(Settings.read(**options), name))

    default = value()
    write(user, f"[{section}]\n{key} = 'of the user'\n")
    assert value() == "of the user"
    write(here, f"[{section}]\n{key} = 'of the folder'\n")
    assert value() == "of the folder"
    monkeypatch.setenv(variable, "of the environment")
    assert value() == "of the environment"
    assert value(**{name: "of the option"}) == "of the option"
    assert value(**{name: None}) == "of the environment"
    monkeypatch.setenv(variable, "")
    assert value() == "of the folder"
    assert default not in ("of the folder", "of the user")


def test_the_first_file_counts_alone(here: Path, user: Path) -> None:
    write(user, "[neo4j]\nuri = 'bolt://user'\ndatabase = 'user'\n")
    write(here, "[neo4j]\nuri = 'bolt://here'\n")
    assert Settings.read().uri == "bolt://here"
    assert Settings.read().database is None


def test_the_longer_name_of_the_user_counts_first(here: Path) -> None:
    both = {"NEO4J_USER": "short", "NEO4J_USERNAME": "long"}
    assert Settings.read(both).username == "long"


SECRETS = [
    ("password", "NEO4J_PASSWORD"),
    ("source_password", "NEO4J_SOURCE_PASSWORD"),
    ("openai_api_key", "OPENAI_API_KEY"),
    ("serve_token", "TUQA_SERVE_TOKEN"),
    ("serve_agent_token", "TUQA_SERVE_AGENT_TOKEN"),
]


@pytest.mark.parametrize(("name", "variable"), SECRETS)
def test_a_secret_may_be_in_a_file(here: Path, name: str, variable: str) -> None:
    file = here / "secret"
    file.write_text("of the file\n", encoding="utf-8")
    in_file = {f"{variable}_FILE": str(file)}
    settings = Settings.read(in_file)
    assert getattr(settings, name) == "of the file"
    assert [row[1:] for row in settings.describe() if row[2] == f"{variable}_FILE"] == [
        ("***", f"{variable}_FILE")
    ]
    assert "of the file" not in repr(settings)
    assert getattr(Settings.read({variable: "itself", **in_file}), name) == "itself"
    # What is not secret is not looked for in files.
    assert Settings.read({"NEO4J_DATABASE_FILE": str(file)}).database is None


def test_user_and_password_may_be_in_one_file(here: Path) -> None:
    """As the Docker image of Neo4j reads them."""
    file = here / "auth"
    file.write_text("ann/p:w@d\n", encoding="utf-8")
    in_file = {"NEO4J_AUTH_FILE": str(file), "NEO4J_URI": "bolt://bo:other@x"}
    settings = Settings.read(in_file)
    assert (settings.username, settings.password) == ("ann", "p:w@d")
    assert {
        row[2] for row in settings.describe() if row[0] in ("neo4j.username", "neo4j.password")
    } == {"NEO4J_AUTH_FILE"}
    named = Settings.read({"NEO4J_USERNAME": "di", **in_file})
    assert (named.username, named.password) == ("di", "p:w@d")
    # The user of one password is not that of another.
    direct = Settings.read({"NEO4J_AUTH_FILE": str(file), "NEO4J_PASSWORD": "own"})
    assert (direct.username, direct.password) == ("neo4j", "own")
    write(here, "[neo4j]\nuri = 'bolt://of-the-folder'\n")
    with pytest.raises(BadSettings, match="is not sent to an address in"):
        Settings.read({"NEO4J_AUTH_FILE": str(file)}).check_secret("password")


@pytest.mark.parametrize(
    ("variable", "content", "what"),
    [
        ("NEO4J_AUTH_FILE", None, "there is no such file"),
        ("NEO4J_AUTH_FILE", b"top-secret\n", "it does not hold USER/PASSWORD"),
        ("NEO4J_AUTH_FILE", b"/top-secret\n", "it does not hold USER/PASSWORD"),
        ("NEO4J_AUTH_FILE", b"ann/\n", "it does not hold USER/PASSWORD"),
        ("NEO4J_AUTH_FILE", b"ann/top/secret\n", "it does not hold USER/PASSWORD"),
        ("NEO4J_PASSWORD_FILE", b"", "it does not hold one line"),
        ("NEO4J_PASSWORD_FILE", b"\n", "it does not hold one line"),
        ("OPENAI_API_KEY_FILE", b"top-secret\nX-Header: y", "it does not hold one line"),
        ("TUQA_SERVE_TOKEN_FILE", b"top-secret\xff", "it is not UTF-8 text"),
        ("TUQA_SERVE_TOKEN_FILE", b"x" * 65_537, "the file is larger than 65,536 bytes"),
    ],
)
def test_a_file_that_holds_no_secret_is_refused(
    here: Path, variable: str, content: bytes | None, what: str
) -> None:
    file = here / "file"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(BadSettings) as caught:
        Settings.read({variable: str(file)})
    assert str(caught.value) == (
        f"the file of a secret is not used: {what}, {variable}={file}\n"
        f"hint: name a file that you can read, with the secret alone, or unset {variable}"
    )


def test_environment_and_folder_can_be_handed_in(
    here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NEO4J_URI", "bolt://environment")
    write(here, "[neo4j]\nuri = 'bolt://here'\n")
    assert Settings.read({}, tmp_path).uri is None
    assert Settings.read({}).uri == "bolt://here"


def test_the_home_may_begin_at_that_of_the_user(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(here))
    assert Settings.read({"TUQA_HOME": "~/data"}).home == here / "data"


@pytest.mark.parametrize(
    ("text", "what", "hint"),
    [
        ("[neo4j]\nurl = 'bolt://x'\n", "unknown setting 'neo4j.url'", KNOWN),
        ("[tuqa]\nuri = 'bolt://x'\n", "unknown setting 'tuqa.uri'", KNOWN),
        ("[server]\nuri = 'bolt://x'\n", "unknown setting 'server.uri'", KNOWN),
        ("uri = 'bolt://x'\n", "unknown setting 'uri'", KNOWN),
        ("neo4j = 'bolt://x'\n", "unknown setting 'neo4j'", KNOWN),
        ("[neo4j]\nuri = 7687\n", "neo4j.uri must be text", "put it in quotes"),
        ("[neo4j]\nuri = ['bolt://x']\n", "neo4j.uri must be text", "put it in quotes"),
        ("[neo4j.uri]\nhost = 'x'\n", "neo4j.uri must be text", "put it in quotes"),
        ("[tuqa]\nneo4j_version = 5.26\n", "tuqa.neo4j_version must be text", "put it in quotes"),
    ],
)
def test_a_file_with_what_it_may_not_hold_is_refused(
    here: Path, text: str, what: str, hint: str
) -> None:
    path = write(here, text)
    with pytest.raises(BadSettings) as caught:
        Settings.read()
    assert str(caught.value) == f"{what}, {path}\nhint: {hint}"
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"[neo4j\nuri = 'x'\n", "at line 1"),
        (b"[neo4j]\nuri = bolt\n", "at line 2"),
        (b"[neo4j]\nuri = 'x'\nuri = 'y'\n", "at line 3"),
        (b"[neo4j]\nuri = '\xff'\n", "not UTF-8 text"),
    ],
)
def test_a_broken_file_is_named_with_the_place(here: Path, content: bytes, what: str) -> None:
    path = here / "tuqa.toml"
    path.write_bytes(content)
    with pytest.raises(BadSettings) as caught:
        Settings.read()
    assert what in caught.value.what
    assert caught.value.where == str(path)
    assert caught.value.hint == "correct the file"


def test_a_broken_file_of_the_user_is_named_too(here: Path, user: Path) -> None:
    path = write(user, "[neo4j")
    with pytest.raises(BadSettings) as caught:
        Settings.read()
    assert caught.value.where == str(path)


def test_an_empty_file_changes_nothing(here: Path) -> None:
    write(here, "# nothing yet\n[neo4j]\n")
    assert Settings.read() == Settings()


@pytest.mark.parametrize(
    ("variable", "name"),
    [
        ("NEO4J_PASSWORD", "password"),
        ("NEO4J_SOURCE_PASSWORD", "source_password"),
        ("OPENAI_API_KEY", "openai_api_key"),
        ("OPENAI_BASE_URL", "openai_base_url"),
    ],
)
def test_a_secret_is_never_shown(here: Path, variable: str, name: str) -> None:
    settings = Settings.read({variable: "top-secret"})
    assert getattr(settings, name) == "top-secret"
    assert "top-secret" not in repr(settings)
    assert "top-secret" not in f"{settings} {[settings]}"


def test_an_option_that_there_is_not_is_a_fault_of_the_caller(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="no setting adress"):
        Settings.read({}, tmp_path, adress="bolt://here")


def test_a_byte_order_mark_is_no_part_of_the_file(here: Path) -> None:
    write(here, '\ufeff[neo4j]\nuri = "bolt://here"\n')
    assert Settings.read({}).uri == "bolt://here"


@pytest.mark.parametrize(
    ("address", "uri", "username", "password"),
    [
        ("bolt://host:7687", "bolt://host:7687", "neo4j", None),
        ("bolt://ann:top-secret@host:7687", "bolt://host:7687", "ann", "top-secret"),
        ("neo4j+s://ann@host", "neo4j+s://host", "ann", None),
        ("neo4j+s://:top-secret@host", "neo4j+s://host", "neo4j", "top-secret"),
        ("bolt://a%40b:top%2Fsecret@[::1]:1/x", "bolt://[::1]:1/x", "a@b", "top/secret"),
        ("bolt://ann:top@secret@host", "bolt://host", "ann", "top@secret"),
        ("ann:top-secret@host", "host", "ann", "top-secret"),
        ("http://ann:top-secret@host", "http://host", "ann", "top-secret"),
    ],
)
def test_user_and_password_are_taken_out_of_the_address(
    here: Path, address: str, uri: str, username: str, password: str | None
) -> None:
    expected = Settings(uri, username, password)
    assert Settings.read({"NEO4J_URI": address}) == expected
    assert Settings.read(uri=address) == expected
    assert Settings(address) == expected
    write(here, f'[neo4j]\nuri = "{address}"\n')
    assert Settings.read() == expected


def test_user_and_password_of_an_address_are_as_near_to_the_command_as_the_address(
    here: Path,
) -> None:
    write(here, "[neo4j]\nusername = 'of the file'\npassword = 'of the file'\n")
    assert Settings.read({"NEO4J_URI": "bolt://a:b@host"}) == Settings("bolt://host", "a", "b")
    variables = {"NEO4J_USERNAME": "c", "NEO4J_PASSWORD": "d"}
    assert Settings.read(variables, uri="bolt://a:b@host") == Settings("bolt://host", "a", "b")
    same = {"NEO4J_URI": "bolt://a:b@host", **variables}
    assert Settings.read(same) == Settings("bolt://host", "c", "d")
    assert Settings("bolt://a:b@host", "c", "d") == Settings("bolt://host", "c", "d")


@pytest.mark.parametrize("character", "/?#")
def test_a_password_whose_end_is_unclear_is_refused_and_not_shown(character: str) -> None:
    with pytest.raises(BadSettings) as caught:
        Settings(f"bolt://ann:top{character}secret@host")
    assert caught.value.where == "bolt://***@host"
    assert "%2F" in caught.value.hint
    assert "secret" not in str(caught.value)


def test_an_address_of_a_file_is_used_with_the_credentials_of_the_file(here: Path) -> None:
    write(
        here,
        "[neo4j]\nuri = 'bolt://here'\npassword = 'of the file'\n"
        "[openai]\nbase_url = 'http://here'\napi_key = 'of the file'\n",
    )
    settings = Settings.read(
        {"NEO4J_USERNAME": "ann", "NEO4J_PASSWORD": "x", "OPENAI_API_KEY": "y"}
    )
    assert (settings.username, settings.password) == ("neo4j", "of the file")
    assert settings.openai_api_key == "of the file"
    settings.check_secret("password")
    settings.check_secret("openai_api_key")


@pytest.mark.parametrize(
    ("secret", "text", "variable", "address", "place"),
    [
        (
            "password",
            "[neo4j]\nuri = 'bolt://here'\n",
            "NEO4J_PASSWORD",
            "NEO4J_URI",
            "password under [neo4j]",
        ),
        (
            "openai_api_key",
            "[openai]\nbase_url = 'http://here'\n",
            "OPENAI_API_KEY",
            "OPENAI_BASE_URL",
            "api_key under [openai]",
        ),
    ],
)
def test_a_secret_of_the_environment_is_not_sent_to_an_address_of_a_file(
    here: Path, secret: str, text: str, variable: str, address: str, place: str
) -> None:
    path = write(here, text)
    with pytest.raises(BadSettings) as caught:
        Settings.read({variable: "top-secret"}).check_secret(secret)
    assert caught.value.what == f"{variable} is not sent to an address in tuqa.toml"
    assert caught.value.where == str(path)
    assert address in caught.value.hint
    assert place in caught.value.hint
    assert "top-secret" not in str(caught.value)
    Settings.read({variable: "top-secret", address: "bolt://there"}).check_secret(secret)
    Settings.read({}, **{secret: "of the caller"}).check_secret(secret)
    path.unlink()
    Settings.read({variable: "top-secret"}).check_secret(secret)


HELD_BACK = [
    ("neo4j", "uri", "NEO4J_URI"),
    ("neo4j", "username", "NEO4J_USERNAME"),
    ("neo4j", "password", "NEO4J_PASSWORD"),
    ("neo4j", "source_username", "NEO4J_SOURCE_USERNAME"),
    ("neo4j", "source_password", "NEO4J_SOURCE_PASSWORD"),
    ("tuqa", "embedder", "TUQA_EMBEDDER"),
    ("tuqa", "llm", "TUQA_LLM"),
    ("tuqa", "llm_extra_body", "TUQA_LLM_EXTRA_BODY"),
    ("tuqa", "home", "TUQA_HOME"),
    ("tuqa", "neo4j_version", "TUQA_NEO4J_VERSION"),
    ("tuqa", "jar_mirror", "TUQA_JAR_MIRROR"),
    ("openai", "api_key", "OPENAI_API_KEY"),
    ("openai", "base_url", "OPENAI_BASE_URL"),
    ("serve", "token", "TUQA_SERVE_TOKEN"),
    ("serve", "agent_token", "TUQA_SERVE_AGENT_TOKEN"),
]


@pytest.mark.parametrize(("section", "key", "variable"), HELD_BACK)
def test_a_file_of_the_working_folder_needs_consent(
    here: Path, section: str, key: str, variable: str
) -> None:
    path = write_unasked(here, f"[{section}]\n{key} = 'x'\n")
    with pytest.raises(BadSettings) as caught:
        Settings.read({})
    error = caught.value
    assert error.what == f"the file sets {section}.{key}, and you have not allowed that"
    assert error.where == str(path)
    assert f"tuqa trust {path}" in error.hint
    assert error.exit_code == 2
    # What the user says counts, so the file decides nothing.
    Settings.read({variable: "y"})
    write(here, path.read_text())
    Settings.read({})


def test_every_setting_needs_consent_or_is_harmless(here: Path) -> None:
    needing = {f"{section}.{key}" for section, key, _ in HELD_BACK}
    harmless = {
        "neo4j.database", "tuqa.llm_prices", "tuqa.llm_temperature", "tuqa.llm_seed",
        "tuqa.llm_reply_tokens", "tuqa.llm_reasoning_effort", "tuqa.disk_reserve",
        "tuqa.neo4j_heap", "tuqa.neo4j_page_cache",
    }  # fmt: skip
    assert needing | harmless == set(KNOWN.removeprefix("known are ").split(", "))
    assert not needing & harmless
    for place in harmless:
        section, _, key = place.partition(".")
        write_unasked(here, f"[{section}]\n{key} = '7'\n")
        assert getattr(Settings.read({}), key) == "7"


def test_consent_is_for_one_path_and_one_content(here: Path, tmp_path: Path) -> None:
    path = write(here, "[tuqa]\nllm = 'openai:a'\n")
    assert Settings.read({}).llm == "openai:a"
    write_unasked(here, "[tuqa]\nllm = 'openai:b'\n")
    with pytest.raises(BadSettings, match="not allowed"):
        Settings.read({})
    write_unasked(here, "[tuqa]\nllm = 'openai:a'\n")
    assert Settings.read({}).llm == "openai:a"
    copy = tmp_path / "copy"
    copy.mkdir()
    write_unasked(copy, path.read_text())
    with pytest.raises(BadSettings, match="not allowed"):
        Settings.read({}, copy)
    assert Consents.of_user().remove(path) == 1
    with pytest.raises(BadSettings, match="not allowed"):
        Settings.read({})


def test_marks_of_consent_that_others_can_write_say_nothing(here: Path) -> None:
    write(here, "[tuqa]\nllm = 'openai:a'\n")
    Consents.of_user().folder.chmod(0o777)
    with pytest.raises(BadSettings, match="not allowed"):
        Settings.read({})
    assert list(Consents.of_user()) == []


def test_the_file_of_the_user_needs_no_consent(here: Path, user: Path) -> None:
    write_unasked(user, "[tuqa]\nllm = 'openai:a'\n")
    assert Settings.read({}).llm == "openai:a"


def test_a_stranger_file_does_not_make_a_home(here: Path, tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    write_unasked(here, f"[tuqa]\nhome = '{theirs}'\n")
    with pytest.raises(BadSettings):
        Settings.read({})
    assert not theirs.exists()


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda path: path.mkdir(), "it is a folder and not a regular file"),
        (lambda path: os.mkfifo(path), "it is a pipe and not a regular file"),
        (lambda path: path.symlink_to("/dev/zero"), "it is a link and not a regular file"),
        (lambda path: path.symlink_to("nothing"), "it is a link and not a regular file"),
        (lambda path: path.write_bytes(b"#" * 70_000), "the file is larger than 65,536 bytes"),
    ],
    ids=["folder", "pipe", "link to a device", "link to nothing", "large"],
)
def test_what_is_not_a_plain_small_file_is_refused(
    here: Path, make: Callable[[Path], None], what: str
) -> None:
    path = here / "tuqa.toml"
    make(path)
    with pytest.raises(BadSettings) as caught:
        Settings.read({})
    assert caught.value.what == f"tuqa.toml is not used: {what}"
    assert caught.value.where == str(path)


def test_a_file_of_another_user_is_refused(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_unasked(here, "# nothing\n")
    user_id = os.geteuid()
    # Only root could give a file away.
    monkeypatch.setattr(os, "geteuid", lambda: user_id + 1000)
    status = os.lstat(here / "tuqa.toml")
    owned = os.stat_result([*status[:4], user_id + 7, *status[5:]])
    monkeypatch.setattr(Path, "lstat", lambda _path: owned)
    with pytest.raises(BadSettings, match="belongs to another user"):
        Settings.read({})


def test_a_home_of_another_user_is_refused(
    here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    user_id = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: user_id + 1000)
    with pytest.raises(HomeNotUsable) as caught:
        Settings.read({"TUQA_HOME": str(home)})
    assert caught.value.what == "the folder belongs to another user"
    assert "chown" in caught.value.hint


@pytest.mark.parametrize("mode", [0o770, 0o702, 0o1777])
def test_a_home_that_others_can_write_is_refused(here: Path, tmp_path: Path, mode: int) -> None:
    home = tmp_path / "home"
    home.mkdir()
    home.chmod(mode)
    with pytest.raises(HomeNotUsable) as caught:
        Settings.read({"TUQA_HOME": str(home)})
    assert caught.value.where == str(home)
    assert f"chmod -R go-rwx '{home}'" in caught.value.hint
    home.chmod(0o755)
    Settings.read({"TUQA_HOME": str(home)})


@pytest.mark.parametrize("text", ["1 GB", "255", "-1", "٣٠٠", "1e9", "9" * 20])
def test_a_heap_is_a_number_of_megabytes(text: str) -> None:
    assert Settings().read_megabytes("neo4j_heap") is None
    assert Settings(neo4j_heap="300").read_megabytes("neo4j_heap") == 300
    with pytest.raises(BadSettings, match="is not a number of megabytes") as caught:
        Settings(neo4j_heap=text).read_megabytes("neo4j_heap")
    assert caught.value.where == "TUQA_NEO4J_HEAP"
    assert "at least 256" in caught.value.hint
