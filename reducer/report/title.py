"""The title of an issue, as people write them, and the `gh` command that files it.

It says what fails, how, on which op, for which target. Nothing here runs `gh`.

The order and the words are those of issues at iree-org/iree and llvm/llvm-project: "[mlir][arith]
`arith-int-narrowing` pass crashed with assertion failure", "Compiler hangs for the following i4
function", "torch.aten.multinomial: failed to legalize operation 'torch.constant.bool'".
"""

import re
from collections.abc import Iterator, Sequence

from oracles.profiles import RUNTIME, any_of, profile_of
from oracles.signature.abort_message import thrown_message
from oracles.signature.printed_ir import CARRIED_NAMES, carried_name
from oracles.signature.reasons import LED_TO
from oracles.stacks.frames import is_offset
from reducer import units
from reducer.escaping import one_line, shell_joined
from reducer.report.facts import Facts
from reducer.report.wording import sole_pass, suspect_ops, target_of, with_signal

MAX_TITLE = 100
"""Characters; GitHub accepts 256, but lists of issues show fewer."""

_SHORT = 24  # characters of a target's second value; longer ones are lists of features
_HOST = frozenset(("host", "generic", "native"))
_ADDRESS = re.compile(r"\b0x(?:[0-9a-fA-F]+\b|…)")
_LONG = 75  # characters of a message
_CONDITION = 48  # characters of a failed assertion
_QUOTED = re.compile(r"`([^`']*)'|'([\w.$-]+)'")  # as LLVM quotes code, and MLIR ops
_ASSERTION = re.compile(r"Assertion [`'](?P<condition>.*)' failed")
_WHERE = re.compile(  # in a template
    r" in (?:[\w:~]+::[\w:~]+(?: \[.*\])?|[\w:~]+(?:\(\))? at \S+)$"
)
_SAID = re.compile(r'&& *"(?P<text>(?:[^"\\]|\\.)+)"(?: *"[^"]*")* *\)*$')
_BOILERPLATE = re.compile(r" that was explicitly marked illegal$")
_FOLLOW_UP = re.compile(any_of(lambda profile: profile.follow_ups))
_PREFIX = re.compile(r"(?:fatal )?error: |LLVM ERROR: ")


def title(facts: Facts) -> str:
    """The title: text with code spans, of at most `MAX_TITLE` characters."""
    whole = (part for part in _from_full_to_short(facts) if len(part) <= MAX_TITLE)
    return next(whole, "") or cut(next(_from_full_to_short(facts)), MAX_TITLE)


def cut(text: str, most: int) -> str:
    """The text with at most so many characters, cut between words, with no code span left open.

    >>> cut("a crash in `mlir::f` here", 17), cut("a crash in `f(a, b)` here", 19)
    ('a crash in…', 'a crash in `f(a…`')
    """
    if len(text) <= most:
        return text
    kept = (text[: most - 1].rpartition(" ")[0] or text[: most - 2]).rstrip(" ,:;")
    if kept.count("`") % 2 == 0:
        return f"{kept}…"
    return f"{kept}…`" if kept[-1] != "`" else f"{kept[:-1].rstrip()}…"


def _from_full_to_short(facts: Facts) -> Iterator[str]:
    """Titles that say ever less: of the function, the target, the ops."""
    tags, op, target = _tags(facts), _ops(facts), _target(facts)
    function, brief = _function(facts, 2), _function(facts, 1)
    for inside, on, where in (
        (function, op, target),
        (brief, op, target),
        (brief, op, ""),
        *([("", op, target)] if op else []),
        (function, "", target),
        (brief, "", target),
        ("", op, ""),
        ("", "", target),
        ("", "", ""),
    ):
        said = _said(facts, inside, on)
        yield f"{tags} {said}{where}" if tags else f"{said[:1].upper()}{said[1:]}{where}"


def _said(facts: Facts, inside: str, on: str) -> str:
    """What happens, in which function, on which op."""
    traits, named, message = facts.signature.kind.traits, _phrase(facts), _message(facts)
    if named:
        text = named.format(subject=_subject(facts), signal=with_signal(facts), message=message)
        known = facts.check.passes or facts.pass_name
        if traits.wrong_results and known and _failing_pass(facts):
            what = on.removeprefix(" on ")
            return f"{_subject(facts)} " + (
                f"miscompiles {what}" if what else "changes what a program computes"
            )
        if traits.wrong_results:
            return f"{text}{_wrong(facts)}{on.replace(' on ', ' for ', 1)}"
        return f"{text}{inside}{on}"
    ops = _called(facts)
    if not on or any(op in message for op in ops):
        return message
    return f"{on.removeprefix(' on ')}: {message}"


def _phrase(facts: Facts) -> str:
    """What the compiler does, in place of its message; '' if the message says it."""
    signature = facts.signature
    told = facts.messages[0] if facts.messages else ""
    if facts.check.silent or (facts.pass_name and _FOLLOW_UP.search(_PREFIX.sub("", told))):
        return "{subject} fails without an error message"
    traits = signature.kind.traits
    return traits.title or ("" if signature.template else traits.title_without_message)


def _subject(facts: Facts) -> str:
    """The failing pass, or else the program."""
    return _code(_failing_pass(facts) or facts.compiler.name.rpartition("/")[2])


def _failing_pass(facts: Facts) -> str:
    """The pass that is at fault: where a run was stopped at a limit, only if there is no other."""
    costly = facts.signature.kind.traits.costly
    return ("" if costly else facts.pass_name) or sole_pass(facts.command)


def _function(facts: Facts, names: int) -> str:
    """The innermost function with a name on the stack of a crash; the pass in which a run hangs."""
    traits = facts.signature.kind.traits
    if traits.costly and not _failing_pass(facts):
        return f" in {_code(facts.pass_name)}" if facts.pass_name else ""
    named = (frame for frame in facts.signature.frames if not is_offset(frame))
    innermost = "" if traits.condition or traits.wrong_results else next(named, "")
    short = "::".join(re.sub(r"<.*>", "", innermost).split("::")[-names:])
    return f" in {_code(short)}" if short else ""


def _ops(facts: Facts) -> str:
    ops = " and ".join(map(_code, _called(facts)))
    return f" on {ops}" if ops else ""


def _called(facts: Facts) -> list[str]:
    """The suspect ops; of one that stands for another op or function, the name of that."""
    return [_stands_for(name, facts) or name for name in suspect_ops(facts)]


def _stands_for(name: str, facts: Facts) -> str:
    known, _, carried = facts.signature.op.partition(" ")
    if known == name and carried and " " not in carried:  # those of a cast are types
        return carried
    if name not in CARRIED_NAMES:
        return ""
    found = re.search(rf'(?<![\w.]){re.escape(name)} ["@]+([\w.$-]+)', facts.text)
    lines = (line for line in facts.text.splitlines() if f'"{name}"' in line)
    return found[1] if found else next(filter(None, (carried_name(name, one) for one in lines)), "")


def _target(facts: Facts) -> str:
    """The device, and what it is, if that is short."""
    values = [one for one in map(one_line, target_of(facts.check.words)) if one not in _HOST]
    if not values or any(len(one) > _SHORT for one in values[:1]):
        return ""
    brief = [one for one in values[:2] if len(one) <= _SHORT]
    if not _phrase(facts):
        return f" ({', '.join(brief)})"
    second = f" ({brief[1]})" if len(brief) > 1 else ""
    at = "on" if facts.signature.kind.traits.wrong_results else "for"
    return f" {at} {values[0]}{second}"


def _wrong(facts: Facts) -> str:
    """How a compiled program goes wrong, unless numbers just differ."""
    run = facts.check.run
    if run is None or run.wrong is not None:
        return ""
    if run.seconds is not None:
        return " to finish"
    words = re.findall(r"\b[A-Z][A-Z_]+\b", facts.signature.template)
    known = (word for word in words if word in RUNTIME.statuses or word.startswith("SIG"))
    status = next(known, "")
    return f" with {status}" if status else ""


def _message(facts: Facts) -> str:
    """The message in one line, with what LLVM quotes as code."""
    signature = facts.signature
    thrown = next(filter(None, map(thrown_message, facts.messages)), "")
    text = thrown or (facts.messages[0] if facts.messages else str(signature.kind))
    if text == signature.text and facts.check.pattern is not None:
        text = facts.check.pattern.text
    if (assertion := _ASSERTION.search(text)) or signature.kind.traits.condition:
        return _assertion(assertion["condition"] if assertion else signature.template)
    if _is_clearer(signature.template, text):
        text = signature.template
    text = _BOILERPLATE.sub("", _PREFIX.sub("", one_line(text), count=1))
    names = suspect_ops(facts)
    if len(names) == 1:
        text = text.removeprefix(f"'{names[0]}' op ") if text.count(names[0]) > 1 else text
    text = _QUOTED.sub(r"`\1\2`", text.rstrip(" .:"))
    return text if text.count("`") % 2 == 0 else text.replace("`", "'")


def _is_clearer(template: str, text: str) -> bool:
    """Whether the template says the same as the message without what varies or is too long."""
    first = template.partition(" ")[0]
    varies = _ADDRESS.search(text) or len(text) > _LONG > len(template)
    return bool(first and first in text and varies)


def _assertion(condition: str) -> str:
    """The condition, or what its author has to say of it."""
    condition = _WHERE.sub("", condition.partition(LED_TO)[0])
    said = _SAID.search(condition)
    if said:
        return f'assertion "{said["text"]}"'
    short = units.cut(condition, _CONDITION)
    return f"assertion {_code(short)}"


def _code(text: str) -> str:
    plain = one_line(text).replace("`", "'").strip()
    return f"`{plain}`" if plain else ""


def _tags(facts: Facts) -> str:
    """What a project puts in front of titles; nothing for a program of no known project."""
    profile = profile_of(facts.compiler.name)
    if not profile.has(facts.compiler.name):
        return ""
    failing = _failing_pass(facts)
    failing = _qualified(failing, facts.stack) or failing
    return profile.bug_form.tags(failing, facts.signature.op)


def _qualified(name: str, stack: Sequence[str]) -> str:
    """A pass with its namespaces, if it is on the stack."""
    functions = (line.rpartition(" ")[2].split("::") for line in stack)
    names = next((names for names in functions if name in names[1:]), [])
    return "::".join(names[: names.index(name) + 1]) if names else ""


_UNKNOWN = "OWNER/REPO"
"""For a program of no known project: it is up to the reader where its bugs are filed."""


def issue_command(facts: Facts, body: str) -> str:
    """The line that files the report in the file `body`, for a POSIX shell.

    It sets no labels: only people with triage rights can, and projects have bots for theirs.
    """
    profile = profile_of(facts.compiler.name)
    known = profile.has(facts.compiler.name)
    repository = (profile.bug_form.repository if known else "") or _UNKNOWN
    words = ("gh", "issue", "create", "--repo", repository, "--title", title(facts))
    return shell_joined([*words, "--body-file", body])
