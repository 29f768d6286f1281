"""Textual pass pipelines as trees: `builtin.module(func.func(cse,canonicalize{top-down=true}))`."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

_PAIRS = {"{": "}", "(": ")", "[": "]", "<": ">"}


@dataclass(frozen=True)
class Step:
    """A pass with its options, or an op's name with the steps that run on such ops."""

    name: str
    options: tuple[str, ...] = ()
    inner: tuple["Step", ...] = ()

    @property
    def text(self) -> str:
        """As `--pass-pipeline=` takes it."""
        options = f"{{{' '.join(self.options)}}}" if self.options else ""
        inner = f"({','.join(step.text for step in self.inner)})" if self.inner else ""
        return f"{self.name}{options}{inner}"

    def smaller(self) -> Iterator["Step"]:
        """The same with one pass or one option less; what runs nothing is left out."""
        for number in range(len(self.options)):
            yield replace(self, options=_without(self.options, number))
        if len(self.inner) > 1:
            for number in range(len(self.inner)):
                yield replace(self, inner=_without(self.inner, number))
        for number, step in enumerate(self.inner):
            for less in step.smaller():
                rest = (*self.inner[:number], less, *self.inner[number + 1 :])
                yield replace(self, inner=rest)

    def bare(self) -> "Step":
        """The same with no options at all."""
        return Step(self.name, (), tuple(step.bare() for step in self.inner))

    @property
    def anchors(self) -> tuple[str, ...]:
        """The op names from the outermost one to where a choice begins or passes stand."""
        out: list[str] = []
        step = self
        while step.inner:
            out.append(step.name)
            if len(step.inner) != 1:
                break
            step = step.inner[0]
        return tuple(out)

    @property
    def passes(self) -> tuple["Step", ...]:
        """Every pass, in order, without the ops it runs on."""
        if not self.inner:
            return (self,)
        return tuple(found for step in self.inner for found in step.passes)


def nested(anchors: tuple[str, ...], step: Step) -> Step:
    """A step on ops inside ops: the outermost comes first."""
    for name in reversed(anchors):
        step = Step(name, (), (step,))
    return step


def parse_pipeline(text: str) -> Step:
    """The tree of a pipeline with one outermost op or pass.

    Raises ValueError where the brackets do not match or something is left over.
    """
    steps, rest = _steps(text.strip(), 0)
    if rest != len(text.strip()) or len(steps) != 1:
        raise ValueError(f"not a pass pipeline: {text}")
    return steps[0]


def _steps(text: str, at: int) -> tuple[list[Step], int]:
    out: list[Step] = []
    while True:
        step, at = _step(text, at)
        out.append(step)
        if at >= len(text) or text[at] != ",":
            return out, at
        at += 1


def _step(text: str, at: int) -> tuple[Step, int]:
    start = at
    while at < len(text) and text[at] not in "{(,)":
        at += 1
    name = text[start:at].strip()
    if not name:
        raise ValueError(f"no name at character {start} of the pass pipeline {text}")
    options: list[str] = []
    if at < len(text) and text[at] == "{":
        end = _closing(text, at)
        options, at = _words(text[at + 1 : end]), end + 1
    if at >= len(text) or text[at] != "(":
        return Step(name, tuple(options)), at
    inner, at = _steps(text, at + 1)
    if at >= len(text) or text[at] != ")":
        raise ValueError(f"a bracket is not closed in the pass pipeline {text}")
    return Step(name, tuple(options), tuple(inner)), at + 1


def _words(text: str) -> list[str]:
    """Options are separated by blanks; those inside brackets or quotes separate nothing."""
    out: list[str] = []
    start = at = 0
    while at < len(text):
        if text[at] == " ":
            out.append(text[start:at])
            start = at + 1
        elif text[at] in _PAIRS:
            at = _closing(text, at)
        elif text[at] in "'\"":
            at = max(text.find(text[at], at + 1), at)
        at += 1
    return [word for word in (*out, text[start:]) if word]


def _closing(text: str, start: int) -> int:
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] == text[start]) - (text[at] == _PAIRS[text[start]])
        if depth == 0:
            return at
    raise ValueError(f"a bracket is not closed in the pass pipeline {text}")


def _without(items: tuple, number: int) -> tuple:  # type: ignore[type-arg]
    return (*items[:number], *items[number + 1 :])
