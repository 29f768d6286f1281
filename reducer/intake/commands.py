"""Find the commands of compilers in any text: a stack dump, a lit test, a CI log, an issue."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import PurePath

from oracles.profiles import PROFILES
from reducer.intake.stages import PIPE, NotOnePipeline, entry_of, is_runner, joined

_TOOL = re.compile(r"[\w.+-]*-(?:opt|compile|translate)(?:-\d+)?")
_WORD = re.compile(
    r"(?:[^\s`'\"|;&<>]*/)?[\w.+-]*-(?:opt|compile|translate)(?:-\d+)?(?=[\s`\"']|$)"
)
_FRAME = re.compile(r"\((\S+)\+0x[0-9a-f]+\)")
_PROJECT = re.compile(r"share the reproducer above with (\w+) project")
_DUMPED = re.compile(r"^.*?\bProgram arguments:\s*", re.M)
_RUN = re.compile(r"^\s*(?://|#|;)\s*RUN:\s*", re.M)
_END = re.compile(r"[|;&<>]|\d>")
_WINDOWS_PATH = re.compile(r"\b[A-Za-z]:(?:\\[^\\\s\"\'|<>]+)+")
_PROMPT = re.compile(r"(?:[$+>%#]+\s+)?`?$")
# What would load other code or run other programs, and what would write files of its own.
_REFUSED = re.compile(
    r"(?:^--?(?:load(?:-(?:pass|dialect)-plugin)?|print-changed-diff-path)"
    r"|(?:linker-path|ptxas-from|preprocess-executables-with|toolkit|[{\s=]command))(?:=|$)"
)
_WRITES = re.compile(r"--?(?:o|mlir-pass-pipeline-crash-reproducer|mlir-output-\S*)(?:=.*)?$", re.S)

FILE = "{}"
"""What stands for the input in a command."""

TEST_ITSELF = "%s"
"""What stands for the test in the commands of a lit test."""


@dataclass(frozen=True)
class FoundCommand:
    """A command in a text.

    Attributes:
        words: the base name of a known compiler, its flags, and `{}` for the input; the same for
            each stage of a pipeline that cannot be told as one command without running the tool.
        input: the input as the text names it; '' if it names none (or standard input).
        rank: how sure it is that this is the command, 0 for certain.
        entry: the function of what it makes that is run after that, if one is.
    """

    words: tuple[str, ...]
    input: str
    rank: int
    entry: str | None = None


def runs_others(word: str) -> bool:
    """Whether a flag or pipeline makes a compiler load other code or run other programs."""
    return _REFUSED.search(word) is not None


def is_compiler(program: str) -> bool:
    """Whether a program is one that may be run because a text names it: by its base name only."""
    name = PurePath(program).name
    return _TOOL.fullmatch(name) is not None or any(profile.has(name) for profile in PROFILES)


def commands_in(text: str) -> list[FoundCommand]:
    """All commands of known compilers in a text, the surest first, each once."""
    found = sorted(_all(_joined(text)), key=lambda command: command.rank)
    best = [one for one in found if one.rank == found[0].rank] if found else []
    return list(dict.fromkeys(best))


def tools_in(text: str) -> list[str]:
    """The compilers that a text speaks of without a command: in a stack, or by their project."""
    names = [PurePath(match[1]).name for match in _FRAME.finditer(text)]
    names += [f"{match[1].lower()}-opt" for match in _PROJECT.finditer(text)]
    return [name for name in dict.fromkeys(names) if is_compiler(name)]


def _joined(text: str) -> str:
    """The text with continued lines joined; in a lit test, the next line has its own RUN."""
    return re.sub(r"\\[ \t]*\n(?:\s*(?://|#|;)\s*RUN:)?\s*", " ", text)


def _with_slashes(line: str) -> str:
    """A line with the paths and programs of Windows spelled as elsewhere."""
    return _WINDOWS_PATH.sub(lambda match: match[0].replace("\\", "/"), line).replace(".exe", "")


def _all(text: str) -> Iterator[FoundCommand]:
    for line in map(_with_slashes, text.splitlines()):
        if "/include/" in line or re.match(r"\s*#\d+ ", line):
            continue  # a frame of a stack
        dumped, run = _DUMPED.match(line), _RUN.match(line)
        start = (dumped or run).end() if dumped or run else 0  # type: ignore[union-attr]
        word = _WORD.search(line, start)
        if word is None or not is_compiler(word[0]):
            continue
        quoted = line[word.start() - 1 : word.start()] == "`"
        in_quotes = line[word.start() - 1 : word.start()] in ('"', "'")  # as lit prints a command
        rest = line[word.start() - in_quotes :]
        rest = rest.split("`", 1)[0] if quoted else rest
        command = _command(rest, prose=not (dumped or run))
        if command is None:
            continue
        before = line[start : word.start() - in_quotes]
        starts = quoted or _PROMPT.search(before) is not None
        rank = 0 if dumped or run else 1 if starts and command.input else 2
        yield replace(command, rank=rank)


def _command(text: str, *, prose: bool) -> FoundCommand | None:
    """The command at the start of a text; None if it has neither flags nor an input."""
    stages = _stages(text)
    if not stages:
        return None
    first = PurePath(stages[0][0]).name
    same = list(takewhile(lambda stage: PurePath(stage[0]).name == first, stages))
    following = stages[len(same) : len(same) + 1]
    entry = next((entry_of(stage) for stage in following if is_runner(stage[0])), None)
    try:
        words = joined(same)
    except NotOnePipeline:
        words = same[0]
    kept, source = [first], ""
    end = 0  # of the first stage, which reads the input
    skip = False
    for word in words[1:]:
        if skip:
            skip = False
        elif word == PIPE:
            end = end or len(kept)
            kept += [PIPE, first]
            skip = True
        elif word.startswith("-") and len(word) > 1:
            if _WRITES.match(word):
                skip = word in ("-o", "--o")
            else:
                kept.append(word)
        elif _END.match(word):
            break
        elif word == "-" or word == TEST_ITSELF or "." in word or "/" in word:
            source = "" if word == "-" else word
        elif prose:
            break
    if len(kept) == 1 and not source:
        return None
    if any(map(runs_others, kept)):
        return None
    end = end or len(kept)
    return FoundCommand((*kept[:end], FILE, *kept[end:]), source, 0, entry)


def _stages(text: str) -> list[list[str]]:
    """The words of commands that hand on their output, up to a redirection or the end of a command.

    Quotes that are not closed end them as well.
    """
    lexer = shlex.shlex(text, posix=True, punctuation_chars="|;&<>")
    lexer.whitespace_split = True
    lexer.commenters = ""
    stages: list[list[str]] = [[]]
    try:
        for word in lexer:
            if word == "|" and stages[-1]:
                stages.append([])
            elif _END.fullmatch(word) or set(word) <= set("|;&<>"):
                break
            else:
                stages[-1].append(word.rstrip("`") if stages[0] else word)
    except ValueError:
        pass
    return [stage for stage in stages if stage]
