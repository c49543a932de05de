"""What a text means: a number with its unit, a date as a range of days, or neither."""

from .comparing import comparable, compare, equal, recurs
from .dates import date_order
from .days import OPEN, Days
from .intervals import BadDate, Interval, between, interval, read_date, years
from .reader import DEFAULT, Value, ValueOptions, read_value
from .units import equivalents, measure

__all__ = [
    "DEFAULT",
    "OPEN",
    "BadDate",
    "Days",
    "Interval",
    "Value",
    "ValueOptions",
    "between",
    "comparable",
    "compare",
    "date_order",
    "equal",
    "equivalents",
    "interval",
    "measure",
    "read_date",
    "read_value",
    "recurs",
    "years",
]
