"""Charts of size against cost, on a logarithmic scale, and of numbers that are failures."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from reducer.driver.records.history import History, Moment, Spent
from reducer.report.page.findings import Findings
from reducer.units import duration, plural

WIDTH, HEIGHT = 440, 260
_LEFT, _RIGHT, _TOP, _BOTTOM = 50, 46, 12, 38
_MAX_DOTS = 120  # accepted candidates; more dots would hide the line
_WIDE = 72  # right of numbers, whose lines have longer names
_MOST_NAMES = 7  # releases below the axis
_NICE = (1, 2, 2.5, 5, 10)


@dataclass(frozen=True)
class Tick:
    at: float
    label: str


@dataclass(frozen=True)
class Dot:
    x: float
    y: float
    title: str


@dataclass(frozen=True)
class Line:
    """One measure: its step line, its dots, and the position of its label."""

    name: str
    path: str
    dots: list[Dot]
    label_x: float
    label_y: float


@dataclass(frozen=True)
class Chart:
    """A drawing of `WIDTH` by `HEIGHT`; `label` describes it in words."""

    title: str
    label: str
    lines: list[Line]
    x_ticks: list[Tick]
    y_ticks: list[Tick]
    x_name: str
    left: float = _LEFT
    right: float = WIDTH - _RIGHT
    top: float = _TOP
    bottom: float = HEIGHT - _BOTTOM
    width: float = WIDTH
    height: float = HEIGHT


def size_charts(history: History) -> list[Chart]:
    """Size over compiler runs, and size over time."""
    return [
        _chart(history, "Size over compiler runs", _RUNS),
        _chart(history, "Size over time", _TIME),
    ]


def number_charts(findings: Findings) -> Iterator[Chart]:
    """The number that is the failure, over the releases and over the sizes that were measured."""
    names = "value", "reference"
    if rows := [one for one in findings.releases if one.numbers.keys() >= set(names)]:
        points = {one.version: float(at) for at, one in enumerate(rows)}
        columns = {name: tuple(one.numbers[name] for one in rows) for name in names}
        yield _numbers("Over releases", "release", points, columns)
    if (growth := findings.growth) and len(growth.sizes) == len(growth.values) > 1:
        points = {f"{size:,}": float(size) for size in growth.sizes}
        columns = dict(zip(names, (growth.values, growth.references), strict=True))
        yield _numbers(growth.text, growth.subject.replace("{} ", ""), points, columns)


def _numbers(
    title: str, axis: str, points: Mapping[str, float], columns: Mapping[str, tuple[float, ...]]
) -> Chart:
    """Numbers by the labels and places of points, on a linear scale from 0."""
    high, right = max(0.0, *chain(*columns.values())) or 1.0, WIDTH - _WIDE
    first, last = min(points.values()), max(points.values())

    def x(place: float) -> float:
        return round(_LEFT + (right - _LEFT) * (place - first) / (last - first or 1.0), 2)

    def y(value: float) -> float:
        return round(HEIGHT - _BOTTOM - (HEIGHT - _TOP - _BOTTOM) * max(0.0, value) / high, 2)

    lines = list[Line]()
    for name, column in columns.items():
        dots = [
            Dot(x(place), y(value), f"{name} {value:,g} at {label}")
            for (label, place), value in zip(points.items(), column, strict=False)
        ]
        path = "M" + "L".join(f"{dot.x} {dot.y}" for dot in dots)
        lines += [Line(name, path, dots, dots[-1].x, dots[-1].y)] if dots else []
    told = ", ".join(dot.title for line in lines for dot in line.dots)
    ticks = [Tick(x(place), label) for label, place in points.items()]
    marks = [Tick(y(value), f"{value:,g}") for value in _nice_ticks(high, 0.0)]
    step = math.ceil(len(ticks) / _MOST_NAMES)
    return Chart(title, f"{title}: {told}", lines, ticks[::-step], marks, axis, right=right)


@dataclass(frozen=True)
class _Axis:
    """A cost to plot, how to format it in text and on ticks, and the minimum tick distance."""

    name: str
    cost: Callable[[Spent], float]
    shown: Callable[[float], str]
    tick: Callable[[float], str]
    least: float


def _clock(seconds: float) -> str:
    """7.5 -> 7.5 s, 90 -> 1:30."""
    return f"{seconds:g} s" if seconds < 60 else duration(seconds)


_RUNS = _Axis("runs", lambda s: s.calls, lambda v: plural(v, "run"), lambda v: f"{v:,.0f}", 1.0)
_TIME = _Axis("time", lambda s: s.seconds, duration, _clock, 0.0)


def _chart(history: History, title: str, axis: _Axis) -> Chart:
    cost, shown = axis.cost, axis.shown
    start = Moment(history.input.ops, history.input.bytes, "input", Spent())
    moments = [start, *history.moments]
    end = max([cost(history.total), *(cost(m.spent) for m in moments)], default=0) or 1
    sizes = [size for m in moments for size in (m.ops, m.bytes)]
    low, high = _decades(sizes)

    def x(value: float) -> float:
        return round(_LEFT + (WIDTH - _LEFT - _RIGHT) * value / end, 2)

    def y(value: float) -> float:
        share = (math.log10(max(1, value)) - low) / (high - low)
        return round(HEIGHT - _BOTTOM - (HEIGHT - _TOP - _BOTTOM) * share, 2)

    def line(name: str, size: Callable[[Moment], int]) -> Line:
        points = [(x(cost(m.spent)), y(size(m))) for m in moments]
        dots = [
            Dot(at[0], at[1], f"{m.origin}: {size(m):,} {name} after {shown(cost(m.spent))}")
            for m, at in zip(moments, points, strict=True)
        ]
        path = f"M{points[0][0]} {points[0][1]}"
        path += "".join(f"H{px}V{py}" for px, py in points[1:]) + f"H{x(end)}"
        return Line(name, path, dots if len(dots) <= _MAX_DOTS else [], x(end), points[-1][1])

    lines = [line("bytes", lambda m: m.bytes), line("ops", lambda m: m.ops)]
    last = moments[-1]
    return Chart(
        title,
        f"{title}: from {start.ops:,} ops and {start.bytes:,} bytes to {last.ops:,} ops and "
        f"{last.bytes:,} bytes, in {shown(end)}, on a logarithmic scale",
        lines,
        [Tick(x(value), axis.tick(value)) for value in _nice_ticks(end, axis.least)],
        [Tick(y(10**power), _power(power)) for power in range(low, high + 1)],
        axis.name,
    )


def _decades(sizes: Sequence[int]) -> tuple[int, int]:
    """The powers of ten that enclose all sizes, at least one decade apart."""
    low = math.floor(math.log10(max(1, min(sizes))))
    high = math.ceil(math.log10(max(1, *sizes)))
    return low, max(high, low + 1)


def _power(power: int) -> str:
    """3 -> 1 k, 6 -> 1 M."""
    thousands, rest = divmod(power, 3)
    unit = ("", " k", " M", " G")[min(thousands, 3)]
    return f"{10 ** (rest + 3 * max(0, thousands - 3))}{unit}"


def _nice_ticks(end: float, least: float) -> Iterator[float]:
    """Zero and a few round numbers up to the end, at least `least` apart."""
    rough = max(end / 4, least)
    power = 10.0 ** math.floor(math.log10(rough))
    steps = (factor * power for factor in _NICE)
    step = next(s for s in steps if s >= rough * 0.999 and (not least or s == int(s)))
    return (step * number for number in range(int(end / step + 1e-9) + 1))
