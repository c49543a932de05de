"""Small plots as SVG, in the colours of the page; shares are from 0 to 1."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

_WIDTH, _HEIGHT = 420, 260
_LEFT, _TOP, _SIDE = 50, 30, 190
_BAR = 22
_STROKE = 'stroke="currentColor"'


class PlotPoint(NamedTuple):
    x: float
    y: float


def draw_bars(title: str, bars: Sequence[tuple[str, float, float, float]]) -> str:
    """Draw a bar for each name with its share; a line from the low to the high bound crosses its end."""
    start, length = 150, 220
    shapes = []
    for number, (name, share, low, high) in enumerate(bars):
        y = _TOP + 10 + number * _BAR
        middle = y + 7
        shapes += [
            f'<text x="{start - 6}" y="{y + 12}" text-anchor="end">{escape(name)}</text>',
            f'<rect x="{start}" y="{y}" width="{share * length:.1f}" height="14" opacity="0.5"/>',
            f'<path d="M{start + low * length:.1f} {middle}H{start + high * length:.1f}" {_STROKE}/>',
            f'<text x="{start + length + 8}" y="{y + 12}">{100 * share:.1f} %</text>',
        ]
    return _draw(title, _TOP + 20 + len(bars) * _BAR, shapes)


def draw_curve(
    title: str, axes: tuple[str, str], points: Sequence[PlotPoint], *, is_diagonal: bool = False
) -> str:
    """Draw a line through the points; the diagonal is where x equals y."""
    bottom = _TOP + _SIDE
    places = [(_LEFT + x * 300, bottom - y * _SIDE) for x, y in points]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    shapes = [
        f'<path d="M{_LEFT} {_TOP}V{bottom}H{_LEFT + 300}" fill="none" stroke="currentColor"/>',
        f'<polyline points="{path}" fill="none" stroke="currentColor" stroke-width="2"/>',
        *(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3"/>' for x, y in places if len(places) <= 20),
        f'<text x="{_LEFT - 6}" y="{_TOP + 8}" text-anchor="end">100 %</text>',
        f'<text x="{_LEFT - 6}" y="{bottom}" text-anchor="end">0</text>',
        f'<text x="{_LEFT + 300}" y="{bottom + 18}" text-anchor="end">{escape(axes[0])}</text>',
        f'<text x="{_LEFT + 6}" y="{_TOP + 8}">{escape(axes[1])}</text>',
    ]
    if is_diagonal:
        line = f'<path d="M{_LEFT} {bottom}L{_LEFT + 300} {_TOP}" stroke="currentColor" '
        shapes.append(f'{line}stroke-dasharray="4"/>')
    return _draw(title, _HEIGHT, shapes)


def _draw(title: str, height: int, shapes: Sequence[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" '
        f'role="img" fill="currentColor" font-size="12"><title>{escape(title)}</title>'
        f'<text x="10" y="16" font-weight="bold">{escape(title)}</text>{"".join(shapes)}</svg>'
    )
