"""Decide what of a command that a file describes may run although no user has typed it.

The file may come from anybody. So of its command only those flags are taken that select what is
compiled and how: switches, numbers, values that the program's own help lists, passes with such
options, and plain names of targets and the like. Whatever may name a file, a library or a host is
left out, and a command that would run other code is refused. What a flag takes, the help of the
program tells, and what plain text names, the last word of the flag's name. The passes that the
program itself has run, by a schedule of the transform dialect, are held to the same.

`oracles.run.confinement` is a second wall behind this one.
"""

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from oracles import Limits
from oracles.compilers.command import path_spans, verifying_tool
from reducer.intake.programs import split_input
from reducer.intake.stages import PIPE
from reducer.ir import GenericSyntaxError, Module
from reducer.ir.attribute_tree import items_of
from reducer.ir.lexer import split_commas, unescaped
from reducer.locate.pipeline import PipelineStep, flag_name, parse_steps, words
from reducer.toolchain.flags import Flag, typed_flags

FILE = "{}"
"""What stands for the input in a command."""

Known = Mapping[str, Flag]

_OF_LLVM = "help-hidden"
_FLAG = re.compile(r"--?(?P<name>[A-Za-z][\w.-]*)", re.A)
_PASS = re.compile(r"\w[\w.:-]*", re.A)
_PLAIN = re.compile(r"(?!.*\.\.)[\w.+:=,@#<>\"'()\[\]{}*|^?$! -]*", re.A)
_NUMBER = r"[-+]?(?:0x[\da-fA-F]+|\d+(?:\.\d*)?(?:e[-+]?\d+)?)"
_NUMBERS = re.compile(rf"[\[({{]*{_NUMBER}(?:[],()x:{{}}\[ ]+{_NUMBER})*[\])}}]*", re.A)
_SWITCHED = re.compile(r"(?i)true|false|[01]")
_OF_NUMBERS = re.compile(r"u?(?:int|long|short)|number|float|double|[Nx]|seed")
_OF_TEXT = re.compile(r"(?i)str|file|path|dir|plugin|text")
_PIPELINES = ("pass-pipeline", "pipeline", "passes", "p")
_BESIDE_PROGRAM = re.compile(r"\{-#.*?#-\}", re.S)
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"', re.S)
_SAYS_FILE = re.compile(
    r"(?i)\b(?:file(?:name|path)?s?|paths?|director(?:y|ies)|librar(?:y|ies))\b"
)
_RUNS = frozenset(
    (
        "assembler", "cmd", "command", "commands", "exec", "execute", "linker", "load", "plugin",
        "plugins", "program", "script", "shell", "tool", "toolkit", "tools", "with",
    )
)  # fmt: skip
"""Words in the name of a flag whose value is code that runs."""
_ACTS = frozenset(("connect", "interactive", "listen", "port", "ptxas", "server", "socket"))
"""The same, whatever the value is."""
_SELECTS = frozenset(
    (
        "abi", "after", "api", "arch", "attr", "backend", "backends", "before", "caps", "chip",
        "chipset", "conversion", "counter", "cpu", "device", "devices", "dialect", "dialects",
        "dispatch", "extension", "extensions", "exts", "features", "filter", "format", "func",
        "function", "functions", "heuristic", "kind", "label", "layout", "level", "march", "mattr",
        "mcpu", "mode", "model", "module", "mtriple", "name", "op", "operation", "operations",
        "ops", "pass", "pattern", "patterns", "point", "policy", "precision", "profile", "profiles",
        "regex", "scheme", "section", "simplify", "sizes", "stage", "strategy", "strictness",
        "symbol", "symbols", "tag", "target", "targets", "triple", "type", "types", "ukernels",
        "vendor", "ver", "version",
    )
)  # fmt: skip
"""Last words in the name of a flag, or words for its value, that is a plain name then."""

_SCHEDULED = "apply_registered_pass"
_NAMES_PASSES = re.compile(f"{_SCHEDULED}|pass_pipeline")
_CONSTANT = "transform.param.constant"
_ANYTHING = '"/"'
"""What stands for a value that only the run makes."""
_COMPUTED = re.compile(r"#transform\.param_operand<[^>]*>")
_GIVES_OPTIONS = re.compile(r"[\w.:-]+(?:\([^{]*)?\{[^{}=]*=", re.A)
"""A pipeline with options, which an attribute of any dialect may hold."""
_READING_SECONDS = 60.0
_NO_SCHEDULE = "its schedule cannot be read"

_RUNS_CODE = "it names other code to run"
_MAY_RUN = "it may run another program"
_MAY_NAME = "it may name a file"
_UNKNOWN = "what it names is not known"
_NOTHING = "nothing is left of what it is given"
_UNREADABLE = "the pipeline cannot be read"


@dataclass(frozen=True)
class Allowed:
    """What of a command may run, and for people what is left out, and why.

    `refused` is what of that would run other code: the command was made for it.
    """

    words: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


class _LeftOut(Exception):
    """A flag, or an option of a pass, that is not taken; the message says why."""


def allowed(command: Sequence[str], flags: Known) -> Allowed:
    """What of a command, whose program comes first, may run though a file asks for it.

    Args:
        command: its words, with `{}` for the input, and `|` between stages of the same program.
        flags: the flags of the program.
    """
    decision = _Decision(flags)
    kept, rest = [command[0]], deque(command[1:])
    while rest:
        word = rest.popleft()
        if word in (FILE, PIPE):
            kept += [word, *([rest.popleft()] if word == PIPE else [])]
        else:
            kept += decision.on_word(word, rest)
    left_out = tuple(dict.fromkeys(decision.left_out))
    return Allowed(tuple(kept), left_out, tuple(one for one in left_out if _RUNS_CODE in one))


def runs_reproducer(flags: Sequence[str]) -> bool:
    """Whether a command runs the pipeline that its input names."""
    return any(flag_name(flag) == "run-reproducer" for flag in flags)


def hidden_in_input(flags: Sequence[str], text: str, executable: Path) -> str:
    """What a pipeline in an input, which a command runs, must not be given; '' if nothing.

    Args:
        flags: those of the command, as the user typed them.
    """
    if not runs_reproducer(flags):
        return ""
    return hidden_in_reproducer(text, known_flags(executable)) or hidden_in_program(
        text, executable
    )


def hidden_in_reproducer(text: str, flags: Known) -> str:
    """The same for a crash reproducer, given the flags of the program.

    Any string beside the program may be the pipeline, since names can be written in many ways.
    """
    strings = (one for found in _BESIDE_PROGRAM.findall(text) for one in _STRING.findall(found))
    pipelines = (one for one in strings if not one.startswith("0x") and set("({") & set(one))
    decisions = (allowed(("", f"--pass-pipeline={one}"), flags) for one in pipelines)
    return next((what for one in decisions for what in one.left_out), "")


def hidden_in_program(text: str, executable: Path) -> str:
    """What a pass that a program itself has run must not be given; '' if nothing.

    The tool reads the schedules, as only it knows how names can be written in its release.
    """
    if not _NAMES_PASSES.search(unescaped(text)):
        return ""
    from reducer.conversions import OptPrinter  # imports all transformations

    printer = OptPrinter(verifying_tool(executable) or executable, Limits(_READING_SECONDS))
    flags = known_flags(executable)
    for part in split_input(text, ("--split-input-file",)):
        try:
            generic = printer.generic(part) or ""
            module = Module.parse(generic)
        except GenericSyntaxError:
            return _NO_SCHEDULE
        pipelines = *_with_options(generic), *_scheduled(module)
        if what := next((what for one in pipelines for what in _left_out(one, flags)), ""):
            return what
        if _NAMES_PASSES.search(unescaped(part)) and not len(module):
            return _NO_SCHEDULE
    return ""


def _left_out(pipeline: str, known: Known) -> tuple[str, ...]:
    return allowed(("", f"--pass-pipeline={pipeline}"), known).left_out


def _with_options(generic: str) -> list[str]:
    """The strings of a program that may be pipelines with options, also those behind aliases."""
    return list(filter(_GIVES_OPTIONS.match, map(unescaped, _STRING.findall(generic))))


def _scheduled(module: Module) -> Iterator[str]:
    """The passes that the schedules of a module run, each as a pipeline.

    An option that is computed may have any value that the module names.
    """
    ops = {op: module.syntax(op) for op in range(len(module))}
    makers = [op for op in ops if any("param" in one for one in module.result_types(op))]
    values = (module.t.name[op] == _CONSTANT and ops[op].entry("value") for op in makers)
    constants = dict.fromkeys(one.value if one else _ANYTHING for one in values)
    for op, name in enumerate(module.t.name):
        if name.endswith(_SCHEDULED):
            passed, given = ops[op].entry("pass_name"), ops[op].entry("options")
            options = given.value if given else '""'
            for value in (constants or (_ANYTHING,)) if _COMPUTED.search(options) else ("",):
                words = _spelled(_COMPUTED.sub(lambda _: value, options))  # noqa: B023
                yield f"{_spelled(passed.value)}{{{words}}}" if passed else ""


def _spelled(value: str) -> str:
    """An attribute as the option of a pass that MLIR makes of it; a dictionary as options."""
    if value[:1] == "{":
        options = (one.partition("=") for one in split_commas(value[1:-1]))
        return " ".join(
            f"{_spelled(name.strip())}={_spelled(one.strip())}" for name, _, one in options
        )
    if value[:1] == "[":
        return ",".join(map(_spelled, items_of(value) or ()))
    if match := _STRING.match(value):
        return unescaped(match[1])
    return value.partition(" : ")[0]


def known_flags(executable: Path) -> Known:
    """The flags of a program, and the passes of the tool beside it, which its pipelines name."""
    opt = verifying_tool(executable) or executable
    passes = {name: flag for name, flag in typed_flags(opt).items() if flag.options}
    return {**passes, **typed_flags(executable)}


class _Decision:
    """The decision on one command. Methods return what is kept."""

    def __init__(self, known: Known) -> None:
        self.known = known
        self.left_out: list[str] = []

    def on_word(self, word: str, rest: deque[str]) -> list[str]:
        """What to keep of a word and, if it is a flag that takes that, of the one that follows."""
        dashed, equals, value = word.partition("=")
        if (match := _FLAG.fullmatch(dashed)) is None:
            self.left_out += [f"{word} (it is no flag)"] * (word != "--")  # that of a launcher
            return []
        flag = self.known.get(match["name"])
        name = flag.name if flag else match["name"]
        needs = flag is not None and not flag.optional and not equals
        if needs and rest and rest[0] not in (FILE, PIPE) and rest[0][:1] != "-":
            value, equals = rest.popleft(), "=" if len(name) > 1 else " "
            word = f"{dashed}{equals}{value}"
        try:
            if not equals:
                self._switch(name, flag)
                return [dashed]
            kept = self._valued(name, value, flag)
        except _LeftOut as why:
            self.left_out.append(f"{word} ({why})")
            return []
        return [f"{dashed}={kept}"] if equals == "=" else [dashed, kept]

    def _switch(self, name: str, flag: Flag | None) -> None:
        """Check a flag without a value."""
        if flag is not None and not flag.optional:
            raise _LeftOut("its value is missing")  # the input would become that
        if flag is None and _OF_LLVM not in self.known:  # another library takes abbreviations
            valued = [one for one, other in self.known.items() if not other.optional]
            if any(one.startswith(name) or name.startswith(one) for one in valued):
                raise _LeftOut("it may stand for another one")
        if not _ACTS.isdisjoint(_words(name)) or (
            not self.known and not _RUNS.isdisjoint(_words(name))
        ):
            raise _LeftOut(_MAY_RUN)

    def _valued(self, name: str, value: str, flag: Flag | None) -> str:
        """The value of a flag as it may be given."""
        if _is_pipeline(name, flag) and not re.match(r"[\w-]+=", value):
            return self._pipeline(value)
        options = flag.options if flag else {}
        if (flag is None or not flag.kind) and (options or "=" in value):
            given = words(value)
            kept = [one for one in given if self._takes(name, one, options)]
            if given and not kept:
                raise _LeftOut(_NOTHING)
            return value if kept == given else " ".join(kept)
        self._check(name, value, flag)
        return value

    def _pipeline(self, text: str) -> str:
        text = text.replace(FILE, "")  # no options, not the input
        try:
            steps = parse_steps(text.strip("'\""))
        except ValueError as error:
            raise _LeftOut(_UNREADABLE) from error
        kept = tuple(one for step in steps for one in self._step(step))
        if not kept:
            raise _LeftOut(_NOTHING)
        return text if kept == steps else ",".join(step.text for step in kept)

    def _step(self, step: PipelineStep) -> Iterator[PipelineStep]:
        """A step with what it may be given; nothing if it may have none of that, as a dump."""
        if _PASS.fullmatch(step.name) is None:
            raise _LeftOut(_UNREADABLE)
        flag = self.known.get(step.name)
        known = flag.options if flag else {}
        options = tuple(one for one in step.options if self._takes(step.name, one, known))
        inner = tuple(one for nested in step.inner for one in self._step(nested))
        if step.options and not options:
            self.left_out.append(f"{step.name} ({_NOTHING})")
        elif bool(inner) == bool(step.inner):
            yield PipelineStep(step.name, options, inner)

    def _takes(self, owner: str, option: str, known: Known) -> bool:
        """Whether a pass may be given an option."""
        name, equals, value = option.partition("=")
        flag = known.get(name)
        try:
            if not _PASS.fullmatch(name):
                raise _LeftOut(_MAY_NAME)
            if value[:1] == "{" and value[-1:] == "}" and "=" in value:
                if not all(self._takes(name, one, {}) for one in words(value[1:-1])):
                    raise _LeftOut(_NOTHING)
            elif equals and _is_pipeline(name, flag):
                if self._pipeline(value) != value:
                    raise _LeftOut(_NOTHING)
            elif equals:
                self._check(name, value, flag)
        except _LeftOut as why:
            self.left_out.append(f"{option} of {owner} ({why})")
            return False
        return True

    def _check(self, name: str, value: str, flag: Flag | None) -> None:
        """Check that a value names nothing but what is compiled, and how."""
        parts, kind = _words(name), flag.kind if flag else ""
        numbers = _NUMBERS.fullmatch(value) is not None
        if not value:
            return  # it names nothing
        if (_SWITCHED.fullmatch(value) and not kind) or (numbers and not _OF_TEXT.search(kind)):
            if not _ACTS.isdisjoint(parts) and value.lower() not in ("false", "0"):
                raise _LeftOut(_MAY_RUN)
        elif _OF_NUMBERS.fullmatch(kind):
            raise _LeftOut("it is no number")
        elif flag and flag.choices and (kind != "string" or value in flag.choices):
            if not flag.choices.issuperset(value.split(",")):
                raise _LeftOut("the help does not list it")
        elif not _RUNS.isdisjoint(parts) or not _ACTS.isdisjoint(parts):
            raise _LeftOut(_RUNS_CODE)
        elif not _PLAIN.fullmatch(value) or _names_file(value, flag):
            raise _LeftOut(_MAY_NAME)
        elif _SELECTS.isdisjoint([_last(parts), *_words(kind)]):
            raise _LeftOut(_UNKNOWN)


def _is_pipeline(name: str, flag: Flag | None) -> bool:
    """Whether the value of a flag, or of an option, is a pipeline of passes."""
    named = name in _PIPELINES or name.endswith("-pipeline")
    return named and (flag is None or bool(flag.kind))


def _last(parts: Sequence[str]) -> str:
    """What a name ends with: `dir` for that of a directory, as for a directory."""
    return next((one for one in reversed(parts) if one not in ("name", "names", "str")), "name")


def _names_file(value: str, flag: Flag | None) -> bool:
    """Whether a plain value is known to name a file: by the help, or as it is there."""
    said = flag is not None and _SAYS_FILE.search(f"{flag.kind} {flag.purpose}")
    return bool(said) or FILE in value or any(True for _ in path_spans(f"-={value}", Path.cwd()))


def _words(name: str) -> list[str]:
    """The words of a name, in lower case.

    >>> _words("iree-hal-targetDevices")
    ['iree', 'hal', 'target', 'devices']
    """
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z\d]+|[A-Z]+", name)]
