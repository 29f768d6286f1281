"""The parts of a command that may go: flags, wherever in the command they are written.

A command is a small tree: words that set up the environment, a program, and its flags. A variable
may hold flags of its own, and what a shell runs is a list of such commands. Every part is a piece
of one of the command's words, so all of them are dropped and shortened in one way.
"""

import re
import shlex
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import dropwhile
from pathlib import Path

from oracles import Command
from oracles.command import (
    INPUT,
    is_launcher,
    is_tool,
    script_in,
    sets_variable,
    split_launcher,
)

# Flags that restrict a program. Without them it would do more than the user asked for.
_RESTRAINTS = re.compile(
    r"dry[-_]?run|sandbox|no[-_]?(?:exec|run|network|write)|(?:verify|parse|syntax|compile)[-_]only",
    re.I,
)
_CLEARS = frozenset(("-", "-i", "--ignore-environment"))
_VARIABLE = r"\$(?:\w+|\{\w+\}|[@*\#?!$-])"
_TOKEN = re.compile(
    rf"""(?:[ \t]|\\\n)+ | (?P<operator>\|\||\|&|&&|[|;\n])
    | (?P<redirection>\d*(?:<<|>>|[<>]&(?P<number>[-\d]+)?|>\||<>|&>>?|<|>))
    | (?P<word>(?:[^\s|&;<>()'"\\`{{}}\#$] | (?<=\S)\# | \\[^\n] | '[^']*' | {_VARIABLE}
        | \{{[^\s,'"`{{}}|&;<>()]*\}} | "(?:[^"\\`$] | \\. | {_VARIABLE})*")+)""",
    re.X | re.S,
)
_RESERVED = frozenset(
    (
        "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if",
        "in", "select", "then", "until", "while", "[[",
    )
)  # fmt: skip
_MODULE = re.compile(r"[^\s'\"=;|&<>(){},]+\.mlir(?:bc)?(?![\w.-])")
_BEFORE = frozenset(("!", "command", "exec", "time"))
_BASE = frozenset(map(Path, ("/bin", "/sbin", "/usr/bin", "/usr/sbin")))
"""Where the programs of the operating system are: `rm -i` does more without its flag."""


class _Intricate(Exception):
    """A script is more than a list of programs with their flags."""


@dataclass(frozen=True)
class Part:
    """A piece of a word.

    Attributes:
        word: the index of the word, those of the launcher counted first.
        start: where the piece begins in it.
        stop: where it ends.
        text: what the program gets.
        quoted: whether a shell reads the piece.
        tool: for a flag, the name of the program that gets it.
    """

    word: int
    start: int
    stop: int
    text: str
    quoted: bool = False
    tool: str = ""


@dataclass(frozen=True)
class _Simple:
    """One command in a script.

    Attributes:
        operator: what joins it to the one before.
        whole: all of it, with the operator.
        words: without redirections, and without words of the shell before it.
    """

    operator: str
    whole: Part
    words: tuple[Part, ...]

    @property
    def launcher(self) -> tuple[Part, ...]:
        """The words before the program."""
        _, own = split_launcher([part.text for part in self.words])
        return self.words[: len(self.words) - len(own)]


class CommandParts:
    """The parts of a command.

    Attributes:
        groups: what may be dropped, each with the parts that go with it. One may be inside another.
        flags: the flags among them, each with the word that is its value, if any.
        shell: the program that runs a script; "" if the command has none.
        stages: the tools in the script whose flags may be dropped: all of each, then its words.
        kept: other programs in the script that have flags.
        is_read: whether the script could be taken apart.
    """

    def __init__(self, command: Command) -> None:
        self.command = command
        self.groups: list[tuple[Part, ...]] = []
        self.flags: list[tuple[Part, ...]] = []
        self.shell, self.is_read = "", True
        self.stages: list[tuple[Part, ...]] = []
        self.kept: list[str] = []
        self._holders: list[tuple[Part, tuple[Part, ...]]] = []
        every = [*command.launcher, *command.argv]
        words = tuple(Part(number, 0, len(word), word) for number, word in enumerate(every))
        at = len(command.launcher)
        self._environment(words[:at], command.program)
        script = script_in(command.argv)
        if script is None:
            self._flags(words[at + 1 :], Path(command.program).name)
            return
        self.shell = command.program
        options = [one for one in words[at + 1 : at + script] if not _runs(one.text)]
        self._flags(options, self.shell)
        try:
            simple = list(_simple_commands(words[at + script]))
        except _Intricate:
            simple, self.is_read = [], False
        for one in simple:
            self._in_script(one)
        self._flags(words[at + script + 1 :], self.shell)

    @property
    def modules(self) -> list[Path]:
        """Files with modules that the words name, be it inside of a script."""
        place = self.command.directory or Path.cwd()
        named = [one[0] for word in self.command.argv for one in _MODULE.finditer(word)]
        return [place / name for name in dict.fromkeys(named) if (place / name).is_file()]

    # ---- edits -----------------------------------------------------------------------------

    def without(self, gone: Iterable[Part]) -> Command:
        """The command without some parts. What holds nothing any more goes, too."""
        edits: dict[Part, str | None] = dict.fromkeys(gone)
        for holder, held in self._holders:
            if held and edits.keys() >= {*held}:
                edits[holder] = None
        return self._edited(edits)

    def replaced(self, part: Part, text: str) -> Command:
        """The command with another text for one part."""
        return self._edited({part: text})

    def _edited(self, edits: dict[Part, str | None]) -> Command:
        every: list[str | None] = [*self.command.launcher, *self.command.argv]
        done: set[Part] = set()
        # The last ones first, and what encloses others before them.
        for part in sorted(edits, key=lambda one: (one.word, one.start, -one.stop), reverse=True):
            inside = (one for one in edits if one != part and _encloses(one, part))
            if part in done or any(edits[one] is None for one in inside):
                continue
            done.add(part)
            word, text = every[part.word], edits[part]
            assert word is not None
            whole = text is None and (part.start, part.stop) == (0, len(word))
            every[part.word] = None if whole else _spliced(word, part, text)
        at = len(self.command.launcher)
        launcher, argv = every[:at], every[at:]
        return replace(
            self.command,
            launcher=tuple(word for word in launcher if word is not None),
            argv=tuple(word for word in argv if word is not None),
        )

    # ---- reading ---------------------------------------------------------------------------

    def _environment(self, words: Sequence[Part], program: str) -> None:
        """What `env`, or a shell, sets in front of a program."""
        holder: Part | None = None
        held: list[Part] = []
        clears = any(one.text in _CLEARS for one in words)
        rest = iter(words)
        for part in rest:
            group: tuple[Part, ...] = ()
            if is_launcher(part.text):
                self._hold(holder, held)
                holder, held = (part if Path(part.text).name == "env" else None), []
                continue
            if sets_variable(part.text):
                # The program is looked up there.
                needed = clears and part.text.startswith("PATH=") and "/" not in program
                group = () if needed or _RESTRAINTS.search(part.text) else (part,)
            elif holder and part.text in ("-u", "--unset"):
                group = (part, *(one for one in [next(rest, None)] if one))
            elif holder and (part.text in _CLEARS or part.text.startswith(("-u", "--unset="))):
                group = (part,)
            held += group or (part,)
            if group:
                self.groups.append(group)
            if sets_variable(part.text):
                self._variable(part)
        self._hold(holder, held)

    def _hold(self, holder: Part | None, held: Sequence[Part]) -> None:
        if holder is not None:
            self._holders.append((holder, tuple(held)))

    def _variable(self, part: Part) -> None:
        """The flags that a variable holds; its other values cannot be taken apart."""
        name, _, value = part.text.partition("=")
        quotes = 1 if part.quoted and part.stop - part.start == len(part.text) + 2 else 0
        start = part.start + len(name) + 1 + quotes
        plain = not part.quoted or not re.search(r"[\\$'\"]", value)
        if not plain or not value.lstrip().startswith("-"):
            return
        found = [
            Part(part.word, start + one.start(), start + one.end(), one[0])
            for one in re.finditer(r"\S+", value)
        ]
        before = len(self.groups)
        self._flags(found, "")
        if self.groups[before:] == [tuple(found)]:  # it goes with the variable
            self.groups.pop()
        self._holders.append((part, tuple(found)))

    def _flags(self, words: Sequence[Part], tool: str) -> None:
        """The flags of a program, each with the word that is its value.

        The input stays, wherever it is written, and so does every other word that belongs to no
        flag.
        """
        last: Part | None = None  # a flag whose value may follow
        for part in words:
            before, last = last, None
            name, equals, _ = part.text.partition("=")
            if INPUT in part.text or _RESTRAINTS.search(name):
                continue
            if part.text.startswith("-") and len(part.text) > 1:
                flag = replace(part, tool=tool)
                if part.quoted and name in ("-o", "--o"):
                    continue
                self.groups.append((flag,))
                self.flags.append((flag,))
                last = None if equals else flag
            elif before is not None:
                self.groups[-1] = self.flags[-1] = (before, part)
                if Path(part.text).suffix == ".mlir":  # it may be another input
                    self.groups.append((before,))

    def _in_script(self, one: _Simple) -> None:
        if one.operator in ("|", "|&") and INPUT not in one.whole.text:
            self.groups.append((one.whole,))
        launcher, own = one.launcher, one.words[len(one.launcher) :]
        program = own[0].text
        nested = script_in([part.text for part in own]) is not None
        if nested or not _compiles(program):
            flags = [part for part in own[1:] if part.text.startswith("-") and len(part.text) > 1]
            self.kept += [Path(program).name] if flags else []
            return
        self.stages.append((one.whole, *own))
        self._environment(launcher, program)
        self._flags(own[1:], Path(program).name)


def _runs(word: str) -> bool:
    """Whether an option of a shell says that it runs a script in a word."""
    return re.match(r"-[A-Za-z]*c", word) is not None


def _encloses(outer: Part, inner: Part) -> bool:
    inside = outer.start <= inner.start and inner.stop <= outer.stop
    return outer.word == inner.word and inside


def _spliced(word: str, part: Part, text: str | None) -> str:
    """The word with another text for a part; without it, spaces around it go as well."""
    before, after = word[: part.start], word[part.stop :]
    if text is not None:
        return f"{before}{shlex.quote(text) if part.quoted else text}{after}"
    if before != (stripped := before.rstrip(" \t")):
        return f"{stripped}{after}"
    return before + after.lstrip(" \t")


def _compiles(program: str) -> bool:
    """Whether a program in a script may be one whose flags are to be reduced."""
    if is_tool(Path(program).name):
        return True
    found = shutil.which(program)
    return found is not None and Path(found).resolve().parent not in _BASE


def _simple_commands(script: Part) -> Iterator[_Simple]:
    """The commands in a script.

    Raises:
        _Intricate: it has loops, functions, substitutions, here-documents…
    """
    text, at, operator, begin = script.text, 0, "", 0
    words: list[Part] = []
    is_target = False
    while at <= len(text):
        token = _TOKEN.match(text, at) if at < len(text) else None
        if at == len(text) or (token and token["operator"]):
            own = [*dropwhile(lambda part: part.text in _BEFORE, words)]
            if own and own[0].text not in _RESERVED:
                yield _Simple(operator, _whole(script, begin, at), tuple(own))
            elif words or (token and token[0] != "\n"):
                raise _Intricate
            words, operator, begin = [], token[0] if token else "", at
        elif token is None or token[0].endswith("<<"):
            raise _Intricate
        elif token["redirection"]:
            is_target = not token["number"]
        elif token["word"]:
            if not is_target:
                words.append(_word(script, token))
            is_target = False
        at = token.end() if token else at + 1


def _whole(script: Part, start: int, stop: int) -> Part:
    written = script.text[start:stop]
    return Part(script.word, start, start + len(written.rstrip()), written.strip(), quoted=True)


def _word(script: Part, token: re.Match[str]) -> Part:
    try:
        (text,) = shlex.split(token[0]) or [""]
    except ValueError as error:
        raise _Intricate from error
    return Part(script.word, token.start(), token.end(), text, quoted=True)
