"""The table of units: spellings, and conversions within a kind.

Besides the table there is one open rule: one lower-case word is what is counted (``5 wickets``). If any word
were a unit, ``911 Carrera`` and ``82 District`` would be amounts.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ..lexicon.forms import has_plural_ending, stem
from ..lexicon.words import WORDS


class Unit(NamedTuple):
    # ``factor`` times the base unit of its ``kind``.
    name: str
    kind: str
    factor: float


# name, kind, factor, symbols (case-sensitive), words (in any case). A unit that does not convert has its own
# kind.
_TABLE: tuple[tuple[str, str, float, str, str], ...] = (
    ("%", "%", 1, "%|pct", "percent|per cent"),
    ("‰", "‰", 1, "‰", "per mille"),
    ("km", "length", 1000, "km|kms|Km|KM|kilom.", "kilometre|kilometer"),
    ("m", "length", 1, "m|mts|mtrs", "metre|meter"),
    ("cm", "length", 0.01, "cm|CM", "centimetre|centimeter"),
    ("mm", "length", 0.001, "mm|MM", "millimetre|millimeter"),
    ("µm", "length", 1e-6, "µm|μm|um", "micrometre|micrometer|micron"),
    ("nm", "length", 1e-9, "nm", "nanometre|nanometer"),
    ("mi", "length", 1609.344, "mi|mls", "mile"),
    ("yd", "length", 0.9144, "yd|yds", "yard"),
    ("ft", "length", 0.3048, "ft|Ft|FT", "foot|feet"),
    ("in", "length", 0.0254, 'in|ins|"|″|”', "inch|inches"),
    ("nmi", "length", 1852, "nmi|NM", "nautical mile"),
    ("ly", "length", 9.4607304725808e15, "ly", "light year|light-year"),
    ("AU", "length", 1.495978707e11, "AU", "astronomical unit"),
    ("km²", "area", 1e6, "km²|km2|sq km|sq. km|km^2", "square kilometre|square kilometer"),
    ("m²", "area", 1, "m²|m2|sq m|sq. m|m^2|sqm", "square metre|square meter"),
    ("cm²", "area", 1e-4, "cm²|cm2", "square centimetre|square centimeter"),
    ("ha", "area", 1e4, "ha", "hectare"),
    ("acre", "area", 4046.8564224, "ac", "acre"),
    ("mi²", "area", 2589988.110336, "sq mi|sq. mi|mi²|mi2", "square mile|sq mile"),
    ("ft²", "area", 0.09290304, "sq ft|sq. ft|ft²|ft2", "square foot|square feet"),
    ("m³", "volume", 1, "m³|m3|cu m", "cubic metre|cubic meter"),
    ("cm³", "volume", 1e-6, "cm³|cm3|cc|ccm", "cubic centimetre|cubic centimeter"),
    ("l", "volume", 0.001, "l|L", "litre|liter"),
    ("ml", "volume", 1e-6, "ml|mL", "millilitre|milliliter"),
    ("ft³", "volume", 0.028316846592, "cu ft|ft³|ft3", "cubic foot|cubic feet"),
    ("in³", "volume", 1.6387064e-5, "cu in|in³|in3", "cubic inch|cubic inches"),
    ("gal", "volume (gallons)", 1, "gal", "gallon"),
    ("bbl", "volume (barrels)", 1, "bbl", "barrel"),
    ("kg", "mass", 1, "kg|Kg|KG|kgs", "kilogram|kilogramme|kilo"),
    ("g", "mass", 0.001, "g|gr", "gram|gramme"),
    ("mg", "mass", 1e-6, "mg", "milligram"),
    ("t", "mass", 1000, "t", "tonne|metric ton"),
    ("ton", "mass (tons)", 1, "tn", "ton|long ton|short ton"),
    ("GRT", "GRT", 1, "GRT|grt", ""),
    ("lb", "mass", 0.45359237, "lb|lbs|Lbs", "pound"),
    ("oz", "mass", 0.028349523125, "oz", "ounce"),
    ("st", "mass", 6.35029318, "", "stone"),
    ("s", "time", 1, "s|sec|secs|Sec", "second"),
    ("ms", "time", 0.001, "ms|msec", "millisecond"),
    ("min", "time", 60, "min|mins|Min|mn", "minute"),
    ("h", "time", 3600, "h|hr|hrs|Hrs", "hour"),
    ("day", "time", 86400, "", "day"),
    ("week", "time", 7 * 86400, "wk|wks", "week"),
    ("month", "time", 30.4375 * 86400, "mo|mos", "month"),
    ("year", "time", 365.25 * 86400, "yr|yrs|y", "year"),
    ("km/h", "speed", 1 / 3.6, "km/h|kmh|kph|km/hr|kmph", "kilometres per hour|kilometers per hour"),
    ("mph", "speed", 0.44704, "mph|mi/h|MPH", "miles per hour"),
    ("m/s", "speed", 1, "m/s|mps", "metres per second|meters per second"),
    ("kn", "speed", 0.5144444444444445, "kn|kt|kts", "knot"),
    ("m/s²", "acceleration", 1, "m/s²|m/s2", ""),
    ("W", "power", 1, "W", "watt"),
    ("kW", "power", 1e3, "kW|KW|kw", "kilowatt"),
    ("MW", "power", 1e6, "MW", "megawatt"),
    ("GW", "power", 1e9, "GW", "gigawatt"),
    ("hp", "power", 745.6998715822702, "hp|HP|bhp|BHP|shp|ihp", "horsepower"),
    ("PS", "power", 735.49875, "PS|cv|CV", ""),
    ("kWh", "energy", 3.6e6, "kWh|kwh", "kilowatt hour|kilowatt-hour"),
    ("MWh", "energy", 3.6e9, "MWh", "megawatt hour"),
    ("GWh", "energy", 3.6e12, "GWh", "gigawatt hour"),
    ("TWh", "energy", 3.6e15, "TWh", "terawatt hour"),
    ("J", "energy", 1, "J", "joule"),
    ("kJ", "energy", 1e3, "kJ", "kilojoule"),
    ("MJ", "energy", 1e6, "MJ", "megajoule"),
    ("kcal", "energy (calories)", 1, "kcal", "kilocalorie"),
    ("V", "voltage", 1, "V", "volt"),
    ("kV", "voltage", 1e3, "kV|KV", "kilovolt"),
    ("A", "current", 1, "", "ampere|amp"),
    ("Hz", "frequency", 1, "Hz|hz|HZ", "hertz"),
    ("kHz", "frequency", 1e3, "kHz|khz|KHz", "kilohertz"),
    ("MHz", "frequency", 1e6, "MHz|mhz|Mhz|MHZ", "megahertz"),
    ("GHz", "frequency", 1e9, "GHz|ghz|Ghz|GHZ", "gigahertz"),
    ("byte", "data", 1, "", "byte"),
    ("KB", "data", 1e3, "KB|kB|kb", "kilobyte"),
    ("MB", "data", 1e6, "MB", "megabyte"),
    ("GB", "data", 1e9, "GB", "gigabyte"),
    ("TB", "data", 1e12, "TB", "terabyte"),
    ("KiB", "data", 1024, "KiB", ""),
    ("MiB", "data", 1024**2, "MiB", ""),
    ("GiB", "data", 1024**3, "GiB", ""),
    ("bit", "bits", 1, "", "bit"),
    ("kbit/s", "bit rate", 1e3, "kbit/s|kbps|kb/s", ""),
    ("Mbit/s", "bit rate", 1e6, "Mbit/s|Mbps|Mb/s", ""),
    ("Gbit/s", "bit rate", 1e9, "Gbit/s|Gbps|Gb/s", ""),
    ("px", "px", 1, "px", "pixel"),
    ("N", "force", 1, "", "newton"),
    ("kN", "force", 1e3, "kN", "kilonewton"),
    ("lbf", "force", 4.4482216152605, "lbf", ""),
    ("Nm", "torque", 1, "Nm|N·m|N m", "newton metre"),
    ("Pa", "pressure", 1, "Pa", "pascal"),
    ("hPa", "pressure", 100, "hPa|mbar|mb", "millibar"),
    ("kPa", "pressure", 1e3, "kPa", "kilopascal"),
    ("MPa", "pressure", 1e6, "MPa", "megapascal"),
    ("bar", "pressure", 1e5, "bar", ""),
    ("psi", "pressure", 6894.757293168, "psi", ""),
    ("°C", "°C", 1, "°C|° C|℃|ºC", "degrees celsius"),
    ("°F", "°F", 1, "°F|° F|℉|ºF", "degrees fahrenheit"),
    ("K", "K", 1, "", "kelvin"),
    ("°", "°", 1, "°|º", "degree"),
    ("dB", "dB", 1, "dB", "decibel"),
    ("kg/m³", "density", 1, "kg/m³|kg/m3", ""),
    ("g/cm³", "density", 1e3, "g/cm³|g/cm3|g/cc", ""),
    ("/km²", "/km²", 1, "/km²|/km2|per km²|per km2|/sq km", "per square kilometre|per square kilometer"),
    ("/mi²", "/mi²", 1, "/mi²|/sq mi|per sq mi", "per square mile"),
    ("rpm", "rpm", 1, "rpm|RPM", ""),
    ("ppm", "ppm", 1, "ppm", ""),
    ("point", "count point", 1, "pt|pts|Pts", "point"),
    ("page", "count page", 1, "pp", "page"),
    ("lap", "count lap", 1, "", "lap"),
    ("game", "count game", 1, "", "game"),
    ("goal", "count goal", 1, "", "goal"),
    ("vote", "count vote", 1, "", "vote"),
    ("seat", "count seat", 1, "", "seat"),
    ("win", "count win", 1, "", "win"),
    ("episode", "count episode", 1, "ep|eps", "episode"),
    ("season", "count season", 1, "", "season"),
    ("dozen", "count dozen", 1, "doz", "dozen"),
    ("person", "count person", 1, "", "person|people|persons"),
)  # fmt: skip

# Signs and codes of money; the first of each group is the unit. ``$`` alone is that of the United States.
_MONEY = (
    "$|US$|US $|U.S.$|USD|US dollar|dollar|buck", "€|EUR|euro",
    "£|GBP|pound sterling|pounds sterling|quid",
    "¥|JPY|yen", "₹|INR|Rs|Rs.|rupee", "A$|AU$|AUD", "C$|CA$|CAD", "HK$|HKD", "NZ$|NZD", "S$|SGD",
    "R$|BRL", "NT$|TWD", "CN¥|CNY|RMB", "CHF|Fr.|SFr.", "SEK", "NOK", "DKK", "kr|kr.", "₽|RUB",
    "₩|KRW", "₺|TRY", "₪|ILS", "฿|THB", "₱|PHP", "₫|VND", "₴|UAH", "zł|PLN", "DEM", "ZAR", "MXN",
    "¢|cent",
)  # fmt: skip

SCALES = {
    "thousand": 3, "million": 6, "mn": 6, "mln": 6, "mil.": 6, "mill.": 6, "billion": 9, "bn": 9,
    "bln": 9, "trillion": 12, "lakh": 5, "crore": 7,
}  # fmt: skip
"""Powers of ten in words, on the short scale."""

MONEY_SCALES = {"k": 3, "K": 3, "m": 6, "M": 6, "b": 9, "B": 9}
"""Powers of ten as letters, after money only: ``5 m`` are metres."""

# Lower-case words after a number that are not counted things.
_NOT_COUNTED = frozenset(
    (
        "and", "for", "the", "vs", "not", "per", "out", "von", "van", "der", "des", "del", "plus", "minus",
        "times", "over", "under", "from", "until", "since", "before", "after", "early", "late", "mid",
        *WORDS.times.months, *(month[:3] for month in WORDS.times.months), "sept",
        "century", "centuries", "thousand", "million", "billion",
        # Months in other languages, where they are in lower case: 16 mai is not an amount.
        "janvier", "mars", "avril", "mai", "juin", "juillet", "septembre", "octobre", "novembre",
        "enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre",
        "octubre", "noviembre", "diciembre", "gennaio", "febbraio", "aprile", "maggio", "giugno",
        "luglio", "settembre", "ottobre", "dicembre", "janeiro", "fevereiro", "maio", "junho", "julho",
        "setembro", "outubro", "novembro", "dezembro", "januari", "februari", "maart", "mei", "juni",
        "juli", "augustus", "oktober", "spring", "summer", "autumn", "winter",
    )
)  # fmt: skip
_COUNTED = re.compile(r"[a-z]{3,20}", re.ASCII)


def _add_plurals(words: str) -> list[str]:
    return [w + s for w in words.split("|") if w for s in ("", "s")]


def _build_tables() -> tuple[dict[str, Unit], dict[str, Unit]]:
    symbols: dict[str, Unit] = {}
    words: dict[str, Unit] = {}
    for name, kind, factor, signs, spellings in _TABLE:
        unit = Unit(name, kind, factor)
        symbols.update({symbol: unit for symbol in signs.split("|") if symbol})
        words.update(dict.fromkeys(_add_plurals(spellings), unit))
    for line in _MONEY:
        unit = Unit(line.split("|")[0], f"money {line.split('|')[0]}", 1)
        for word in line.split("|"):
            symbols[word] = unit
            if word.islower() and len(word) > 3:
                words.update(dict.fromkeys(_add_plurals(word), unit))
    return symbols, words


_SYMBOLS, _WORDS = _build_tables()
_BY_NAME = {unit.name: unit for unit in (*_SYMBOLS.values(), *_WORDS.values())}

MONEY = {symbol: unit.name for symbol, unit in _SYMBOLS.items() if unit.kind.startswith("money ")}
"""Sign or code of money before a number → its unit."""


def find_unit(text: str) -> Unit | None:
    unit = _SYMBOLS.get(text) or _WORDS.get(text.lower())
    if unit is None and text.endswith("."):
        unit = _SYMBOLS.get(text[:-1]) or _WORDS.get(text[:-1].lower())
    return unit


def is_counted_word(text: str) -> bool:
    # A counted thing is not a unit of measure.
    unit = find_unit(text)
    return unit is None or unit.kind.startswith("count ")


def read_counted_word(text: str) -> str | None:
    # One lower-case word, in the singular.
    if not _COUNTED.fullmatch(text) or text in _NOT_COUNTED:
        return None
    return stem(text)


def is_plural(text: str) -> bool:
    # In lower case, with a plural ending.
    return text.islower() and has_plural_ending(text)


def get_conversion_factor(unit: str, other: str) -> float | None:
    # The number of ``other`` in one ``unit``; None if they do not convert.
    if unit == other:
        return 1.0
    source, target = _BY_NAME.get(unit), _BY_NAME.get(other)
    if source is None or target is None or source.kind != target.kind:
        return None
    return source.factor / target.factor


def convert_to_base_unit(number: float, unit: str | None) -> tuple[str | None, float]:
    # The kind and the amount in its base unit, to sort feet and millimetres.
    source = _BY_NAME.get(unit) if unit else None
    return (unit, number) if source is None else (source.kind, number * source.factor)
