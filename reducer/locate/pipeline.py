"""Textual pass pipelines as trees, and how to shorten them to the op that a pass works on.

Code generation runs on functions in modules in variants in executables; most of its passes work
equally well on the function alone. Some read attributes of the enclosing ops (such as the target of
a variant), so a second form keeps these: an attribute `name` of an op `a.b.c` becomes `a.b.name` of
the module, which is how a dialect expresses the same thing without such an op.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from reducer.ir import NONE, Module
from reducer.ir.dialects import MODULE_OPS

_PAIRS = {"{": "}", "(": ")", "[": "]", "<": ">"}


@dataclass(frozen=True)
class PipelineStep:
    """A pass with its options, or an op name with the steps that run on such ops."""

    name: str
    options: tuple[str, ...] = ()
    inner: tuple["PipelineStep", ...] = ()

    @property
    def text(self) -> str:
        """The step in the syntax of `--pass-pipeline=`."""
        options = f"{{{' '.join(self.options)}}}" if self.options else ""
        inner = f"({','.join(step.text for step in self.inner)})" if self.inner else ""
        return f"{self.name}{options}{inner}"

    def smaller(self) -> Iterator["PipelineStep"]:
        """The step with one pass or one option less; steps that run nothing are left out."""
        for options in fewer_options(self.options):
            yield replace(self, options=options)
        if len(self.inner) > 1:
            for number in range(len(self.inner)):
                yield replace(self, inner=_without(self.inner, number))
        for number, step in enumerate(self.inner):
            for less in step.smaller():
                rest = (*self.inner[:number], less, *self.inner[number + 1 :])
                yield replace(self, inner=rest)

    def bare(self) -> "PipelineStep":
        """The step without any options."""
        return PipelineStep(self.name, (), tuple(step.bare() for step in self.inner))

    @property
    def anchors(self) -> tuple[str, ...]:
        """The op names from the outermost one to the first with several steps or a pass."""
        out: list[str] = []
        step = self
        while step.inner:
            out.append(step.name)
            if len(step.inner) != 1:
                break
            step = step.inner[0]
        return tuple(out)

    @property
    def passes(self) -> tuple["PipelineStep", ...]:
        """Every pass, in order, without the ops it runs on."""
        if not self.inner:
            return (self,)
        return tuple(found for step in self.inner for found in step.passes)


def fewer_options(options: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The options of one pass without one of them, an item of its list, or what it is by default.

    >>> [" ".join(fewer) for fewer in fewer_options(["a=true", "b=2,3"])]
    ['b=2,3', 'a b=2,3', 'a=true', 'a=true b=3', 'a=true b=2']
    """
    for number, option in enumerate(options):
        before, after = options[:number], options[number + 1 :]
        yield (*before, *after)
        name, equals, value = option.partition("=")
        if value == "true":
            yield (*before, name, *after)
        for fewer in fewer_items(value) if equals else ():
            yield (*before, f"{name}={fewer}", *after)


def fewer_items(value: str) -> Iterator[str]:
    """A list without some of its items; a value with brackets is not a plain list."""
    items = value.split(",")
    if len(items) < 2 or re.search(r"[()\[\]{}<>\"']", value):
        return
    for size in [*halves(len(items)), 1]:
        for start in range(0, len(items), size):
            rest = [*items[:start], *items[start + size :]]
            if rest:
                yield ",".join(rest)


def halves(count: int) -> list[int]:
    """count / 2, count / 4… down to two."""
    out: list[int] = []
    while (count := count // 2) > 1:
        out.append(count)
    return out


def nested(anchors: tuple[str, ...], step: PipelineStep) -> PipelineStep:
    """A step nested in op anchors, outermost first."""
    for name in reversed(anchors):
        step = PipelineStep(name, (), (step,))
    return step


def parse_pipeline(text: str) -> PipelineStep:
    """The tree of a pipeline with one outermost op or pass.

    Raises:
        ValueError: the brackets do not match, or there is trailing text.
    """
    steps = parse_steps(text)
    if len(steps) != 1:
        raise ValueError(f"not a pass pipeline: {text}")
    return steps[0]


def parse_steps(text: str) -> tuple[PipelineStep, ...]:
    """The trees of a pipeline that need not begin with the op that it runs on.

    Raises:
        ValueError: the brackets do not match, or there is trailing text.
    """
    steps, rest = _steps(text.strip(), 0)
    if rest != len(text.strip()):
        raise ValueError(f"not a pass pipeline: {text}")
    return tuple(steps)


def flag_name(word: str) -> str:
    """The name of a flag, without dashes and value.

    >>> flag_name("--affine-loop-tile=tile-size=3")
    'affine-loop-tile'
    """
    return word.lstrip("-").partition("=")[0]


def pipeline_in(word: str) -> tuple[PipelineStep, ...] | None:
    """The trees of the pipeline that a flag gives; None for any other word.

    Raises:
        ValueError: see `parse_steps`.
    """
    if not word.startswith("-") or flag_name(word) != "pass-pipeline":
        return None
    return parse_steps(word.partition("=")[2])


def anchored(steps: Sequence[PipelineStep]) -> PipelineStep:
    """A pipeline that begins with the op that it runs on, a module if no op is named."""
    if len(steps) == 1 and steps[0].name in (MODULE_OPS[0], "any"):
        return steps[0]
    return PipelineStep(MODULE_OPS[0], (), tuple(steps))


def _steps(text: str, at: int) -> tuple[list[PipelineStep], int]:
    out: list[PipelineStep] = []
    while True:
        step, at = _step(text, at)
        out.append(step)
        if at >= len(text) or text[at] != ",":
            return out, at
        at += 1


def _step(text: str, at: int) -> tuple[PipelineStep, int]:
    start = at
    while at < len(text) and text[at] not in "{(,)":
        at += 1
    name = text[start:at].strip()
    if not name:
        raise ValueError(f"no name at character {start} of the pass pipeline {text}")
    options: list[str] = []
    if at < len(text) and text[at] == "{":
        end = _closing(text, at)
        options, at = words(text[at + 1 : end]), end + 1
    if at >= len(text) or text[at] != "(":
        return PipelineStep(name, tuple(options)), at
    inner, at = _steps(text, at + 1)
    if at >= len(text) or text[at] != ")":
        raise ValueError(f"a bracket is not closed in the pass pipeline {text}")
    return PipelineStep(name, tuple(options), tuple(inner)), at + 1


def words(text: str) -> list[str]:
    """The options of a pass, separated by spaces outside brackets and quotes."""
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
    """The index of the closing bracket, as MLIR's pipeline parser determines it.

    This is not MLIR's own lexical structure (`ir/lexer.py`): only brackets of the same kind count,
    quotes hide none of them, and `//` may be part of a path.
    """
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] == text[start]) - (text[at] == _PAIRS[text[start]])
        if depth == 0:
            return at
    raise ValueError(f"a bracket is not closed in the pass pipeline {text}")


def _without(items: tuple, number: int) -> tuple:  # type: ignore[type-arg]
    return (*items[:number], *items[number + 1 :])


_PLAIN_FUNCTIONS = ("func.func", "builtin.func", "func")
_OF_THE_SYMBOL = ("sym_name", "sym_visibility")


def extracted(
    module: Module, step: PipelineStep | None
) -> Iterator[tuple[str, PipelineStep | None]]:
    """Smaller texts with matching pipelines, the smallest kind first.

    Without a pipeline, any op that encloses functions, and any function, may be what is wrong.
    """
    for op, depth in _extractable_ops(module, step):
        for inherited in ((), _inherited(module, op)):
            text = alone(module, op, inherited)
            if text is not None:
                yield text, step and _on_extracted(step, depth, module.t.name[op])


def _extractable_ops(module: Module, step: PipelineStep | None) -> Iterator[tuple[int, int]]:
    """Ops to extract with their depth, the deepest first."""
    by_depth: list[tuple[int, int]] = []
    for op in range(len(module)):
        names = _names(module, op)
        depth = len(names) - 1
        if depth == 0 or (depth == 1 and names[0] in MODULE_OPS and names[1] in _PLAIN_FUNCTIONS):
            continue
        if step is None:
            fits = op in module.t.regions and module.symbol_name(op) is not None
            fits = fits or names[-1] in MODULE_OPS
        else:
            fits = step.anchors[: depth + 1] == names
        if fits and not module.hidden[op]:
            by_depth.append((op, depth))
    return iter(sorted(by_depth, key=lambda item: -item[1]))


def _names(module: Module, op: int) -> tuple[str, ...]:
    out: list[str] = []
    while op != NONE:
        out.append(module.t.name[op])
        op = module.t.parent[op]
    return tuple(reversed(out))


def _on_extracted(step: PipelineStep, depth: int, name: str) -> PipelineStep:
    for _ in range(depth):
        step = step.inner[0]
    return step if name in MODULE_OPS else nested(MODULE_OPS[:1], step)


def _inherited(module: Module, op: int) -> tuple[str, ...]:
    """The attributes of the enclosing ops as module attributes; the innermost takes precedence."""
    out: dict[str, str] = {}
    parent = module.t.parent[op]
    while parent != NONE:
        family = module.t.name[parent].rpartition(".")[0]
        syntax = module.syntax(parent)
        for entry in syntax.entries:
            name = entry.name if "." in entry.name else f"{family}.{entry.name}"
            if entry.name not in _OF_THE_SYMBOL:
                out.setdefault(name, entry.value)
        parent = module.t.parent[parent]
    return tuple(f"{name} = {value}" if value else name for name, value in out.items())


def alone(module: Module, op: int, inherited: tuple[str, ...] = ()) -> str | None:
    """A module of the op, or of its contents if it is a module itself."""
    attributes = list(inherited)
    inside = [op]
    if module.t.name[op] in MODULE_OPS:
        inside = list(module.children(op))
        own = (module.text[slice(*entry.span)] for entry in module.syntax(op).attributes)
        attributes = [*own, *inherited]
    if not inside:
        return None
    head = "".join(module.text[alias.start : alias.end] for alias in module.t.aliases)
    body = "".join(module.text[module.t.start[item] : module.t.end[item]] for item in inside)
    dictionary = f" {{{', '.join(attributes)}}}" if attributes else ""
    root = next(name for name in module.t.name if name in MODULE_OPS)
    return f'{head}"{root}"() ({{\n{body}}}){dictionary} : () -> ()\n'
