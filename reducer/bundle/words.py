"""What a kind of failure is called in a sentence, and what was to be expected instead."""

import re

from oracles import Kind
from reducer.bundle.facts import Facts
from reducer.bundle.markdown import code
from reducer.bundle.target import target_of

_SIGNALS = {4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE", 9: "SIGKILL",
            11: "SIGSEGV"}  # fmt: skip
_OP = re.compile(r'(?:^|= |\s)"?([a-z_]\w*(?:\.[A-Za-z_][\w$]*)+)"?(?:[\s(]|$)')
_ORDINARY = re.compile(r"\.(?:constant(?:\.[\w.]+)?|return|yield|func|module|none|empty)$|^func\.")
_LONG = 70  # characters of a message in a title
_MOST = 2  # ops that a title names


def title(facts: Facts) -> str:
    """One line of markup for the head of an issue."""
    where = ", ".join(target_of(facts.check.words))
    ops = " and ".join(map(code, culprits(facts)))
    subject = f"{ops}: " if ops else ""
    return f"{subject}{_in_short(facts)}" + (f" ({code(where)})" if where else "")


def culprits(facts: Facts) -> list[str]:
    """The operation that the failure points to, or all of a program that has only one or two."""
    lines = facts.text.splitlines()
    if facts.place is not None and 0 < facts.place <= len(lines):
        found = _OP.search(lines[facts.place - 1])
        if found and not is_ordinary(found[1]):
            return [found[1]]
    names = (match[1] for line in lines for match in _OP.finditer(line.partition(" loc(")[0]))
    each = list(dict.fromkeys(name for name in names if not is_ordinary(name)))
    return each if len(each) <= _MOST else []


def is_ordinary(name: str) -> bool:
    """Whether an op is in every program: a constant, a function, what ends one."""
    return bool(_ORDINARY.search(name))


def happened(facts: Facts, what: str) -> str:
    """What the program under test does to `what`."""
    match facts.signature.kind:
        case Kind.CRASH:
            return f"crashes{_signal(facts)} on {what}"
        case Kind.ASSERTION:
            return f"fails an assertion on {what}"
        case Kind.FATAL_ERROR:
            return f"gives up{_signal(facts)} on {what}"
        case Kind.TIMEOUT:
            return f"does not end on {what}"
        case Kind.MEMORY:
            return f"runs out of memory on {what}"
        case Kind.MISCOMPILE:
            return f"compiles {what} to a program that gives wrong results"
        case Kind.SCRIPT | Kind.PLUGIN:
            return f"fails, as a test finds, on {what}"
        case Kind.MATCH | Kind.EXIT_CODE:
            return f"does what it should not on {what}"
    return f"fails on {what}"


def expected(facts: Facts) -> str:
    """What should happen instead."""
    match facts.signature.kind:
        case Kind.MISCOMPILE:
            return "The results of the reference."
        case Kind.CRASH | Kind.ASSERTION | Kind.FATAL_ERROR | Kind.TIMEOUT | Kind.MEMORY:
            return "It compiles, or an error says what is wrong with the input."
        case Kind.MATCH | Kind.EXIT_CODE | Kind.SCRIPT | Kind.PLUGIN:
            return "Not this."
    return "It compiles."


def signal_name(code: int) -> str:
    """SIGSEGV for -11; a number for what crashes of programs are no usual part of."""
    return _SIGNALS.get(-code, f"signal {-code}")


def _in_short(facts: Facts) -> str:
    kind = facts.signature.kind
    if kind is Kind.CRASH:
        inside = f" in {code(facts.signature.frames[0])}" if facts.signature.frames else ""
        return f"crash{_signal(facts)}{inside}"
    if kind is Kind.MISCOMPILE:
        return "wrong results"
    if kind is Kind.TIMEOUT:
        return "does not end"
    if kind is Kind.MEMORY and not facts.signature.template:
        return "runs out of memory"
    text = facts.messages[0].removeprefix("error: ") if facts.messages else str(kind)
    if len(text) > _LONG and facts.signature.template:
        text = facts.signature.template  # without what was printed along
    names = culprits(facts)
    if len(names) == 1:
        text = text.removeprefix(f"'{names[0]}' op ")
    return code(text[:100].rstrip() + ("…" if len(text) > 100 else ""))


def _signal(facts: Facts) -> str:
    if facts.exit_code is None or facts.exit_code >= 0:
        return ""
    return f" with {signal_name(facts.exit_code)}"
