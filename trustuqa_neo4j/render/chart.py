"""Numbers of names as bars, and numbers over time as a line: an SVG without scripts, fonts or other files.

Each bar has its name and its number as text, and each point of a line its title, so that nothing depends on
colours. Bars below zero go to the other side of the line at zero.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from html import escape

from .picture import Picture, clean_text, cut_text, text_width

MAX_BARS = 40
MAX_POINTS = 200

_WIDTH = 440
_ROW = 26
_TOP = 34
_LABEL = 150  # the widest name of a bar
_LINE_HEIGHT = 220
_TICKS = 5

STYLE = """
.tuqa-chart{background:#fff;font-family:system-ui,Roboto,"DejaVu Sans",sans-serif;max-width:100%;height:auto}
.tuqa-chart text{font-size:13px;fill:#1f2328;unicode-bidi:isolate}
.tuqa-chart .title{font-weight:600}
.tuqa-chart .bar{fill:#3465a4;stroke:#1f2328;stroke-width:.5}
.tuqa-chart .line{fill:none;stroke:#3465a4;stroke-width:2}
.tuqa-chart .axis{stroke:#59636e}
.tuqa-chart .rest{fill:#59636e}
.tuqa-chart a:hover .bar,.tuqa-chart a:focus .bar{stroke-width:2.5}
@media (prefers-color-scheme:dark){
.tuqa-chart{background:#0d1117}
.tuqa-chart text{fill:#e6edf3}
.tuqa-chart .bar{fill:#6cb6ff;stroke:#e6edf3}
.tuqa-chart .line{stroke:#6cb6ff}
.tuqa-chart .axis{stroke:#9da7b3}
.tuqa-chart .rest{fill:#9da7b3}
}
"""


@dataclass(frozen=True, slots=True)
class ChartPoint:
    """A number with its name; ``link`` is the address of its facts, or empty."""

    name: str
    number: float
    shown: str
    link: str = ""


@dataclass(frozen=True, slots=True)
class ChartContent:
    """The points in their order; ``is_series``: their names are times, in this order."""

    title: str
    points: tuple[ChartPoint, ...]
    is_series: bool = False


def draw_chart(content: ChartContent) -> Picture:
    """Draw at most ``MAX_BARS`` bars, or ``MAX_POINTS`` points of a line, and tell of the others."""
    draw = _draw_line if content.is_series else _draw_bars
    shown = _thin_out(content.points) if content.is_series else content.points[:MAX_BARS]
    rest = len(content.points) - len(shown)
    note = f"{rest:,} more are not drawn" if rest else ""
    height = (
        _TOP + (_LINE_HEIGHT if content.is_series else _ROW * len(shown)) + 20 + 20 * bool(note)
    )
    title = clean_text(content.title)
    parts = [_text(8, 20, cut_text(title, _WIDTH - 16), "title"), *draw(shown)]
    if note:
        parts.append(_text(8, height - 10, note, "rest"))
    # Several charts may stand in one page.
    name = f"chart-{sha256(repr(content).encode('utf-8', 'replace')).hexdigest()[:8]}"
    return Picture(
        f'<svg class="tuqa-chart" xmlns="http://www.w3.org/2000/svg" role="group" aria-labelledby="{name}" '
        f'viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}">\n'
        f'<title id="{name}">{escape(title)}</title>\n<style>{STYLE}</style>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def _draw_bars(points: Sequence[ChartPoint]) -> Iterator[str]:
    names = [cut_text(clean_text(point.name), _LABEL) for point in points]
    left = 16 + max(map(text_width, names))
    values = max(text_width(point.shown) for point in points) + 16
    low = min(0.0, *(point.number for point in points))
    high = max(0.0, *(point.number for point in points))
    before = values if low < 0 else 0  # numbers of bars below zero stand before them
    width = max(40.0, _WIDTH - left - values - before)
    # Halves, since the difference of the largest numbers is infinite.
    span = high / 2 - low / 2 or 1.0
    start = left + before
    zero = start + width * (-low / 2 / span)
    for place, (point, name) in enumerate(zip(points, names, strict=True)):
        y = _TOP + place * _ROW
        size = width * (abs(point.number) / 2 / span)
        x = zero if point.number >= 0 else zero - size
        end = zero + size + 6 if point.number >= 0 else zero - size - 6
        anchor = "start" if point.number >= 0 else "end"
        bar = f'<rect class="bar" x="{x:.1f}" y="{y + 4}" width="{max(size, 1):.1f}" height="{_ROW - 8}"/>'
        row = _text(left - 8, y + 17, name, anchor="end") + bar
        yield _link(point, row + _text(end, y + 17, point.shown, anchor=anchor))
    yield f'<line class="axis" x1="{zero:.1f}" y1="{_TOP}" x2="{zero:.1f}" y2="{_TOP + _ROW * len(points)}"/>'


def _draw_line(points: Sequence[ChartPoint]) -> Iterator[str]:
    low, high = min(p.number for p in points), max(p.number for p in points)
    span = high / 2 - low / 2 or 1.0
    lowest = next(point for point in points if point.number == low)
    highest = next(point for point in points if point.number == high)
    left = 16 + max(text_width(lowest.shown), text_width(highest.shown))
    bottom = _TOP + _LINE_HEIGHT - 24
    height, width = bottom - _TOP - 10, _WIDTH - left - 40
    step = width / max(1, len(points) - 1)
    places = [
        (left + step * n, bottom - height * ((p.number / 2 - low / 2) / span))
        for n, p in enumerate(points)
    ]
    yield f'<line class="axis" x1="{left:.1f}" y1="{bottom}" x2="{left + width:.1f}" y2="{bottom}"/>'
    yield _text(left - 8, bottom + 4, lowest.shown, anchor="end")
    if high != low:
        yield _text(left - 8, bottom - height + 4, highest.shown, anchor="end")
    yield (
        '<polyline class="line" points="' + " ".join(f"{x:.1f},{y:.1f}" for x, y in places) + '"/>'
    )
    for point, (x, y) in zip(points, places, strict=True):
        yield _link(point, f'<circle class="bar" cx="{x:.1f}" cy="{y:.1f}" r="4"/>')
    every = max(1, -(-len(points) // _TICKS))
    for point, (x, _) in [*zip(points, places, strict=True)][::every]:
        yield _text(x, bottom + 18, cut_text(clean_text(point.name), step * every), anchor="middle")


def _thin_out(points: Sequence[ChartPoint]) -> Sequence[ChartPoint]:
    """At most ``MAX_POINTS``: the lowest and the highest of parts of equal size, so that peaks stay."""
    if len(points) <= MAX_POINTS:
        return points
    size = -(-2 * len(points) // MAX_POINTS)
    parts = (range(n, min(n + size, len(points))) for n in range(0, len(points), size))
    ends = {end(part, key=lambda n: points[n].number) for part in parts for end in (min, max)}
    return [points[place] for place in sorted(ends)]


def _link(point: ChartPoint, content: str) -> str:
    title = f"<title>{escape(clean_text(point.name))}: {escape(clean_text(point.shown))}</title>"
    if not point.link:
        return f"<g>{title}{content}</g>"
    return f'<a href="{escape(point.link)}">{title}{content}</a>'


def _text(x: float, y: float, text: str, style: str = "", anchor: str = "start") -> str:
    kind = f' class="{style}"' if style else ""
    # In text from right to left, `start` would be the right end.
    place = f'{kind} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" direction="ltr"'
    return f"<text{place}>{escape(clean_text(text))}</text>"
