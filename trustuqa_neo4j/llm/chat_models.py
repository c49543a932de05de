"""A name such as ``openai:gpt-5-mini`` → the chat model of langchain that talks to it.

Functions import langchain when needed, since the import takes a second.
"""

from __future__ import annotations

import re
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ..errors import BadSettings, MissingExtra, format_list, require_extra
from ..matching.similarity import suggest_names
from ..settings import Settings
from ..wording import name_option
from .calls import read_limited, read_limited_async
from .errors import bare

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

OFFLINE = "demonstrations"  # Needs no model; the caller handles it.

_OPENAI = "https://api.openai.com/v1"
_NO_KEY = "none-needed"  # the package wants some key, a server of one's own does not
_GIVE_A_NAME = f"write provider:NAME, as openai:gpt-5-mini, or {OFFLINE}"


IN_EXTRA = frozenset(("anthropic", "ollama", "openai"))
"""Providers whose packages the extra ``models`` brings."""

_PACKAGES = {
    "anthropic_bedrock": "langchain-aws",
    "azure_openai": "langchain-openai",
    "bedrock": "langchain-aws",
    "bedrock_converse": "langchain-aws",
    "bedrock_mantle_anthropic": "langchain-aws[anthropic]",
    "bedrock_mantle_openai": "langchain-aws[openai]",
    "google_anthropic_vertex": "langchain-google-vertexai",
    "nvidia": "langchain-nvidia-ai-endpoints",
}
"""Packages of providers that are not named after them."""

_VARIABLE = re.compile(r"\b[A-Z]+(?:_[A-Z]+)*_(?:KEY|TOKEN|ENDPOINT|URL|VERSION|REGION)\b")
_MAX_VARIABLES = 4


def chat_model(
    name: str, settings: Settings, retries: int, base_url: str | None = None
) -> BaseChatModel:
    """Create the chat model ``name`` (``provider:NAME``); nothing is sent yet.

    ``base_url`` replaces the address of the provider and of the settings.

    Raises:
        BadSettings: no such name or provider, no key, or a malformed address. MissingExtra: the package
        of the provider is not installed.
    """
    provider, _, model = name.partition(":")
    if not provider or not model or name == OFFLINE:
        raise BadSettings(f"{name!r} names no model", where="TUQA_LLM", hint=_GIVE_A_NAME)
    if base_url is not None:
        _check_address(base_url, name_option("base_url"))
        # A key of the environment may go to an address that the caller names.
        settings = replace(settings, openai_base_url=base_url, withheld={})
    if provider == "openai":
        return _openai(model, settings, retries)
    return _other(provider, model, {"max_retries": retries, "base_url": base_url})


def _check_address(address: str, where: str) -> None:
    if not address.startswith(("http://", "https://")):
        raise BadSettings(
            f"{bare('http://' + address)[7:]!r} is not an address",
            where=where,
            hint="it begins with http:// or https://, as http://localhost:8000/v1",
        )


def _openai(model: str, settings: Settings, retries: int) -> BaseChatModel:
    address = settings.openai_base_url or _OPENAI
    _check_address(address, "OPENAI_BASE_URL")
    settings.check_secret("openai_api_key")
    key = settings.openai_api_key
    if key is None and bare(address) == _OPENAI:
        raise BadSettings(
            "no key",
            where=f"OPENAI_API_KEY, for openai:{model}",
            hint=f"set it, or OPENAI_BASE_URL for a server that needs none, or take {OFFLINE}",
        )
    with require_extra("models", "OpenAI models need", f"or take {OFFLINE}"):
        import openai
        from langchain_openai import ChatOpenAI
        from pydantic import SecretStr

    class Plain(ChatOpenAI):
        # openai searches each message for files, which takes as long as everything else.
        def _get_request_payload(self, *client: Any, **named: Any) -> dict[str, Any]:
            payload: dict[str, Any] = super()._get_request_payload(*client, **named)
            if "messages" in payload:  # another of OpenAI's interfaces has none
                own = {"messages": payload["messages"]}
                payload |= {
                    "messages": [],
                    "extra_body": {**(payload.get("extra_body") or {}), **own},
                }
            return payload

    # Clients of our own, for langchain's take no notice of HTTPS_PROXY. A redirect would carry the prompt to
    # a host that nobody named.
    clients: dict[str, Any] = {
        "http_client": openai.DefaultHttpxClient(
            follow_redirects=False, event_hooks={"response": [read_limited]}
        ),
        "http_async_client": openai.DefaultAsyncHttpxClient(
            follow_redirects=False, event_hooks={"response": [read_limited_async]}
        ),
        "http_socket_options": (),  # not in all versions
        "openai_proxy": None,
    }
    # Address and key are given even where they are the default: otherwise LANGSMITH_GATEWAY, an
    # environment variable that a person may have set for something else, would have all go through there.
    return Plain(
        model=model,
        base_url=address,
        api_key=SecretStr(key or _NO_KEY),
        max_retries=retries,
        **{name: client for name, client in clients.items() if name in ChatOpenAI.model_fields},
    )


def _other(provider: str, model: str, options: dict[str, Any]) -> BaseChatModel:
    package = _PACKAGES.get(provider, f"langchain-{provider}".replace("_", "-"))
    if find_spec("langchain") is None:
        raise _missing(provider, "langchain", f"langchain {package}")
    opener: Any = import_module("langchain.chat_models")
    options = {name: value for name, value in options.items() if value is not None}
    try:
        chat = opener.init_chat_model(model, model_provider=provider, **options)
    except ImportError as error:
        raise _missing(provider, package, package) from error
    except Exception as error:  # noqa: BLE001 # each package has its own for a missing key
        raise BadSettings(
            f"langchain cannot open {model!r} of {provider!r} ({type(error).__name__})",
            where="TUQA_LLM",
            hint=_explain_failure(provider, str(error)),
        ) from None
    _check_key(chat, f"{provider}:{model}")
    return chat  # type: ignore[no-any-return]


def _explain_failure(provider: str, message: str) -> str:
    # The message may quote the key, so that only its names of variables and providers are shown.
    if variables := [*dict.fromkeys(_VARIABLE.findall(message))]:
        return f"set {format_list(variables, _MAX_VARIABLES, conjunction='or')}"
    _, is_unsupported, listed = message.partition("Supported model providers are:")
    if is_unsupported:
        near = suggest_names(provider, re.findall(r"\w+", listed), most=2)
        names = " or ".join(f"{name}:NAME" for name in near)
        suggestion = f"did you mean {names}? Else " if near else ""
        return f"it knows no such provider; {suggestion}{_GIVE_A_NAME}"
    words = "its key is not set, or " if "api_key" in message.lower() else ""
    return f"{words}a setting of it is missing or wrong; see the documentation of its package"


def _check_key(chat: BaseChatModel, name: str) -> None:
    # Some packages are opened without a key, and then fail with each request.
    for field in type(chat).model_fields:
        key: Any = getattr(chat, field, None) if field.endswith("_api_key") else None
        if hasattr(key, "get_secret_value") and not key.get_secret_value():
            variable = field.upper()
            raise BadSettings("no key", where=f"{variable}, for {name}", hint=f"set {variable}")


def _missing(provider: str, package: str, install: str) -> MissingExtra:
    need = f"models of {provider} need"
    if provider in IN_EXTRA:
        return MissingExtra.of("models", need, package)
    return MissingExtra(
        f"{need} the Python package {package!r}",
        where="which is not installed",
        hint=f"pip install {install}",
    )
