"""Typed cells as the text a person would see in them."""

from __future__ import annotations

import json
import math
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

_DIGITS = 15
"""Significant digits of a number in a workbook: the programs that write them show no more."""


def text_of(value: object, digits: int | None = None) -> str:
    """``value`` as text: dates as in ISO, numbers without ``.0``, nothing as the empty text.

    ``digits`` bounds those of a number, where what is behind them is noise.

    Raises:
        UnicodeDecodeError: bytes that are no text.
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _number(value, digits)
    if isinstance(value, (date, time, timedelta)):
        return _moment(value)
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, (list, dict)):
        return json.dumps(_plain(value), ensure_ascii=False)
    return str(value)


def text_in_workbook(value: object) -> str:
    """``text_of`` a cell of a workbook."""
    return text_of(value, _DIGITS)


def _number(value: float, digits: int | None) -> str:
    if math.isnan(value):
        return "NaN"
    text = repr(value) if digits is None else f"{value:.{digits}g}"
    text = text.removesuffix(".0")
    return "0" if text == "-0" else text


def _moment(value: date | time | timedelta) -> str:
    if isinstance(value, datetime):
        at_midnight = value.time() == time() and value.tzinfo is None
        return str(value.date()) if at_midnight else value.isoformat(" ")
    if isinstance(value, timedelta):
        return _duration(value)
    return value.isoformat()


def _duration(value: timedelta) -> str:
    """Hours, minutes and seconds, as workbooks show more than a day of hours: ``30:15:00``."""
    sign = "-" if value < timedelta() else ""
    whole, micro = divmod(abs(value) // timedelta(microseconds=1), 1_000_000)
    minutes, seconds = divmod(whole, 60)
    text = f"{sign}{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    return f"{text}.{micro:06}".rstrip("0") if micro else text


def _plain(value: Any) -> Any:
    """A nested value as what JSON knows."""
    if isinstance(value, dict):
        return {text_of(key): _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return text_of(value)
