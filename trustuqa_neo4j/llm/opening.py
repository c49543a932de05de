"""A name → the langchain model that talks to it. Imported inside functions: it takes a second."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ..errors import BadSettings, MissingExtra, importing
from ..settings import Settings
from .calling import still_wanted
from .faults import bare

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

OFFLINE = "demonstrations"
"""What needs no model: the caller's to handle."""

_OPENAI = "https://api.openai.com/v1"
_NO_KEY = "none-needed"  # the package wants some key, a server of one's own does not
_GIVE_A_NAME = f"write provider:NAME, as openai:gpt-5-mini, or {OFFLINE}"


def chat_model(name: str, settings: Settings, retries: int) -> BaseChatModel:
    """The model of ``name`` (``provider:NAME``); nothing is sent yet.

    Raises:
        BadSettings: no such name or provider; no key where one is needed; an address that is none.
        MissingExtra: the package that talks to the provider is not installed.
    """
    provider, _, model = name.partition(":")
    if not provider or not model or name == OFFLINE:
        raise BadSettings(f"{name!r} names no model", where="TUQA_LLM", hint=_GIVE_A_NAME)
    if provider == "openai":
        return _openai(model, settings, retries)
    return _other(provider, model, retries)


def _openai(model: str, settings: Settings, retries: int) -> BaseChatModel:
    address = settings.openai_base_url or _OPENAI
    if not address.startswith(("http://", "https://")):
        raise BadSettings(
            f"{bare('http://' + address)[7:]!r} is no address",
            where="OPENAI_BASE_URL",
            hint="it begins with http:// or https://, as http://localhost:8000/v1",
        )
    key = settings.openai_api_key
    if key is None and bare(address) == _OPENAI:
        raise BadSettings(
            "no key",
            where=f"OPENAI_API_KEY, for openai:{model}",
            hint=f"set it, or OPENAI_BASE_URL for a server that needs none, or take {OFFLINE}",
        )
    with importing("openai", "OpenAI models need", f"or take {OFFLINE}"):
        import openai
        from langchain_openai import ChatOpenAI
        from pydantic import SecretStr

    class Plain(ChatOpenAI):
        """Sends messages as they are: openai looks for files in each, which takes as long as all else."""

        def _get_request_payload(self, *given: Any, **named: Any) -> dict[str, Any]:
            payload: dict[str, Any] = super()._get_request_payload(*given, **named)
            if "messages" in payload:  # another of OpenAI's interfaces has none
                own = {"messages": payload["messages"]}
                payload |= {
                    "messages": [],
                    "extra_body": {**(payload.get("extra_body") or {}), **own},
                }
            return payload

    # Clients of our own, for langchain's take no notice of HTTPS_PROXY.
    clients: dict[str, Any] = {
        "http_client": openai.DefaultHttpxClient(event_hooks={"request": [still_wanted]}),
        "http_async_client": openai.DefaultAsyncHttpxClient(),
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
        **{name: given for name, given in clients.items() if name in ChatOpenAI.model_fields},
    )


def _other(provider: str, model: str, retries: int) -> BaseChatModel:
    need = f"models of {provider} need"
    if find_spec("langchain") is None:
        raise _missing(need, "langchain", f"langchain langchain-{provider}")
    opener: Any = import_module(
        "langchain.chat_models"
    )  # no extra of ours brings it, nor its types

    try:
        found = opener.init_chat_model(model, model_provider=provider, max_retries=retries)
    except ImportError as error:
        package = (error.name or f"langchain-{provider}").replace("_", "-")
        raise _missing(need, package, package) from error
    except ValueError as error:
        # Of pydantic's errors the text would quote what it was given.
        words = "its key is not set, or " if "api_key" in str(error).lower() else ""
        raise BadSettings(
            f"langchain cannot open {model!r} of {provider!r}",
            where="TUQA_LLM",
            hint=f"{words}it knows no such provider; {_GIVE_A_NAME}",
        ) from None
    return found  # type: ignore[no-any-return]


def _missing(need: str, package: str, install: str) -> MissingExtra:
    return MissingExtra(
        f"{need} the Python package {package!r}",
        where="which is not installed",
        hint=f"try: pip install {install}",
    )
