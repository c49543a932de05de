"""Values in a text: a number with its unit, or a date as a range of days."""

from .column_kinds import MISSING_WORDS, UNKNOWN_WORDS, KindSurvey
from .column_reading import ColumnNote, ColumnSurvey, may_be_ambiguous
from .dates import (
    OPEN,
    BadDate,
    Days,
    Interval,
    get_years,
    make_interval,
    read_date,
    read_interval,
)
from .truths import TRUTHS, read_truth_word, read_truths
from .units import convert_to_base_unit
from .value import (
    DEFAULT_VALUE_OPTIONS,
    Value,
    ValueKind,
    ValueOptions,
    compare_values,
    find_comparison_kind,
    format_month,
    is_equal_value,
    is_on_yearly_days,
    is_value_options,
    parse_value_options,
    read_value,
)

__all__ = [
    "DEFAULT_VALUE_OPTIONS",
    "MISSING_WORDS",
    "OPEN",
    "TRUTHS",
    "UNKNOWN_WORDS",
    "BadDate",
    "ColumnNote",
    "ColumnSurvey",
    "Days",
    "Interval",
    "KindSurvey",
    "Value",
    "ValueKind",
    "ValueOptions",
    "compare_values",
    "convert_to_base_unit",
    "find_comparison_kind",
    "format_month",
    "get_years",
    "is_equal_value",
    "is_on_yearly_days",
    "is_value_options",
    "make_interval",
    "may_be_ambiguous",
    "parse_value_options",
    "read_date",
    "read_interval",
    "read_truth_word",
    "read_truths",
    "read_value",
]
