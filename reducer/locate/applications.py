"""Read which patterns a compiler applies, in order, from its log or its profile of actions.

MLIR counts these applications as well, also in release builds, and `limited` makes it leave out
some of them. An application counts when a pattern is tried, whether it matches or not. The log has
the op, which a pattern may have left so that it cannot be printed; the profile has names only.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from oracles import Command
from oracles.compilers.flag_spelling import not_given

LOG = (
    "--log-actions-to=-",
    "--mlir-elide-elementsattrs-if-larger=16",
    "--mlir-print-debuginfo",
)
PROFILE = ("--profile-actions-to=-",)
COUNTER = "--mlir-debug-counter"
_UNTHREADED = ("--mlir-disable-threading",)

_LOGGED = re.compile(
    r"^\[thread [^\]\n]*\] (?:(?P<ends>completed)|begins (?:\([^)\n]*\) )?Action )\s*`?"
    r"(?P<action>[\w-]+)(?:`? running `(?P<pass>[^`\n]+)`| pattern: (?P<pattern>[^\n]*))?",
    re.M,
)
_PROFILED = re.compile(
    r'^\[?\{"name": "(?P<action>[\w-]+)"[^\n]*?"ph": (?:(?P<ends>"E")|"B")'
    r'(?:[^\n]*?"desc": "(?:[^\n]*? running `(?P<pass>[^`\n]+)`|`?[\w-]+ pattern: '
    r'(?P<pattern>[^\n]*?)"\}))?',
    re.M,
)
_OP = re.compile(r"(?:^|= )\"?(?P<name>[A-Za-z_][\w$]*(?:\.[\w$]+)+)")
_PLACE = re.compile(r'"(?P<file>[^"\n]*)":(?P<line>\d+):\d+')
_ADAPTOR = "OpToOpPassAdaptor"
ITERATION = "GreedyPatternRewriteIteration"
"""The action in which the greedy driver applies patterns, folds, and removes dead ops."""
UNNAMED = "a pattern without a name"
_CANONICALIZE = re.compile(r"(?<![\w-])(--?)?canonicalize(?![\w-])(?:=(\S*)|\{([^}]*)\})?")
_ONE_REWRITE = "max-iterations=1 max-num-rewrites=1 region-simplify=disabled"


class Application(NamedTuple):
    """A pattern that is tried on an op.

    `pattern` is its name, '' for the `canonicalize` method of an op and others without a name;
    `op` what it is tried on, without regions, '' if unknown; `line` where that is in the program,
    0 if unknown; `pass_name` the innermost pass that runs, and `passes` how many had begun. `label`
    is the name with all namespaces, by which a pass can leave it out.
    """

    pattern: str
    op: str
    line: int
    pass_name: str
    passes: int
    label: str = ""

    @property
    def op_name(self) -> str:
        """The name of the op.

        >>> Application("X", "%0:2 = scf.while (%a = %c) : ...", 7, "Canonicalizer", 1).op_name
        'scf.while'
        """
        found = _OP.search(self.op)
        return found["name"] if found else ""

    def is_on(self, op: str) -> bool:
        """Whether it is tried on an op, which may be named together with what it stands for.

        >>> one = Application("", '%0 = torch.operator "onnx.If"(%a)', 1, "", 1)
        >>> one.is_on('torch.operator "onnx.If"'), one.is_on('torch.operator "onnx.Add"')
        (True, False)
        """
        name, _, qualifier = op.partition(" ")
        return self.op_name == name and qualifier in self.op

    @property
    def name(self) -> str:
        """What to call the pattern."""
        of = f" of {self.op_name}" if self.op_name else ""
        return self.pattern or f"{UNNAMED}{of}"


class Actions(NamedTuple):
    """All applications, whether the last was going on at the end, and how many passes had begun.

    It is `endless` if there was no end of applications."""

    applications: tuple[Application, ...]
    is_open: bool
    passes: int
    endless: bool


def read_actions(text: str, file: str = "", *, endless: bool = False) -> Actions:
    """Read a log or a profile, which may end anywhere; that of a program that does not, is cut.

    Lines of ops are those in `file`.
    """
    applications: list[Application] = []
    running: list[tuple[str, str]] = []
    passes = 0
    for event in (_PROFILED if text.startswith("[{") else _LOGGED).finditer(text):
        if event["ends"]:
            if running:
                running.pop()
            continue
        passes += event["pass"] is not None
        running.append((event["action"], event["pass"] or ""))
        if event["pattern"] is not None:
            inside = [name for _, name in running if name and _ADAPTOR not in name]
            name = inside[-1].rsplit("::", 1)[-1] if inside else ""
            pattern, op, line = _parts(event["pattern"], file)
            label = event["pattern"].partition(" (")[0] if pattern else ""
            applications.append(Application(pattern, op, line, name, passes, label))
    is_open = bool(running) and running[-1][0] == "apply-pattern"
    applications = applications[:-1] if endless else applications
    return Actions(tuple(applications), is_open, passes, endless)


def _parts(text: str, file: str) -> tuple[str, str, int]:
    """The parts of `(anonymous namespace)::Name (op loc("file":line:column))`."""
    text = text.replace("(anonymous namespace)::", "")
    name, _, op = text.partition(" (") if not text.startswith("(") else ("", "", text[1:])
    op, _, places = op.removesuffix("`").removesuffix(")").partition(" loc(")
    lines = [int(one["line"]) for one in _PLACE.finditer(places) if one["file"] == file]
    return name.strip(), op, next(iter(lines), 0)


def limited(command: Command, count: int, *, skip: int = 0, passes: int | None = None) -> Command:
    """The command, in which only `count` applications happen, after the first `skip` ones.

    If `passes` is given, no more passes run.

    >>> limited(Command(("mlir-opt", "--canonicalize", "{}")), 3).argv[2:4]
    ('--mlir-disable-threading', '--mlir-debug-counter=apply-pattern-skip=0,apply-pattern-count=3')
    """
    counters = [("apply-pattern", skip, count)]
    counters += [] if passes is None else [("pass-execution", 0, passes)]
    asked = ",".join(f"{tag}-skip={first},{tag}-count={many}" for tag, first, many in counters)
    return with_flags(command, f"{COUNTER}={asked}")


def without_folds(command: Command) -> Command:
    """The command, which ends with the first rewrite by a pattern, before anything is folded.

    It is the same if its pass has no such option: only `canonicalize` does.

    >>> without_folds(Command(("mlir-opt", "--canonicalize=top-down=0", "{}"))).argv[1]
    '--canonicalize=top-down=0 max-iterations=1 max-num-rewrites=1 region-simplify=disabled'
    """
    return _canonicalizing(command, _ONE_REWRITE)


def with_patterns(command: Command, kept: Sequence[str], labels: Iterable[str]) -> Command:
    """The command with some patterns of all labels; '' is that of those without a name.

    It is the same if its pass has no such option.

    >>> canonicalize = Command(("mlir-opt", "--canonicalize", "{}"))
    >>> with_patterns(canonicalize, ["", "B"], ["", "B", "C"]).argv[1]
    "--canonicalize=disable-patterns='C'"
    >>> with_patterns(canonicalize, ["B", "C"], ["", "B", "C", "D"]).argv[1]
    "--canonicalize=enable-patterns='B,C'"
    """
    listed = [label for label in labels if label not in kept] if "" in kept else kept
    option = f"{'disable' if '' in kept else 'enable'}-patterns='{','.join(listed)}'"
    return _canonicalizing(command, option)


def _canonicalizing(command: Command, more: str) -> Command:
    def add(match: re.Match[str]) -> str:
        options = " ".join(filter(None, (match[2] or match[3], more)))
        return f"{match[1]}canonicalize={options}" if match[1] else f"canonicalize{{{options}}}"

    words = [_CANONICALIZE.sub(add, word) for word in command.argv]
    return replace(command, argv=tuple(words))


def with_flags(command: Command, *flags: str) -> Command:
    """The command on one thread, so that the order is the same each time, with more flags."""
    words = not_given(_UNTHREADED, command.argv)
    return command.with_flags((*command.flags, *words, *flags))


def shortest_cycle(applications: tuple[Application, ...]) -> tuple[Application, ...]:
    """The applications that repeat at the end, at least three times; empty if none do.

    >>> a, b = (Application(name, "", 0, "", 1) for name in "ab")
    >>> "".join(one.pattern for one in shortest_cycle((b, b, a, b, a, b, a, b)))
    'ab'
    """
    for names in (list(applications), [one.pattern for one in applications]):
        for period in range(1, len(names) // 3 + 1):
            if all(_repeats(names, period)):
                return applications[-period:]
    return ()


def _repeats(names: Sequence[object], period: int) -> Iterator[bool]:
    many = max(3 * period, min(len(names) // 2, 40))
    end = len(names)
    for at in range(end - many + period, end):
        yield names[at] == names[at - period]
