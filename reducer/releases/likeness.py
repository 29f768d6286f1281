"""Is it the same failure, said by another release?

Releases reword messages, tell the pass or do not, and put functions between others. An equal
signature is the same failure. Otherwise it is taken for the same only if kind, stage and op are
equal, and the message has the same words in another order; or, for a crash, if the stacks meet. The
level `loose` would leave the op out, which makes one of many bugs (docs/signatures.md).
"""

import re
from collections import Counter

from oracles import Kind, Signature

_WORD = re.compile(r"[A-Za-z][\w.-]*")
_PLACEHOLDERS = re.compile(r"<\w+>|\bN\b")


def likeness(wanted: Signature, found: Signature) -> str | None:
    """What differs between two signatures of one failure: '' where nothing does.

    None if the found failure is another one.
    """
    if found == wanted:
        return ""
    if found.kind is not wanted.kind or _phase(found) != _phase(wanted):
        return None
    if wanted.frames or found.frames:
        return _like_stack(wanted, found)
    if found.op != wanted.op or not wanted.template or wanted.kind is Kind.ASSERTION:
        return None
    if found.template == wanted.template:
        both_named = " " in wanted.stage and " " in found.stage
        return None if both_named or not wanted.op else "only one of the two names its pass"
    if _words(found.template) == _words(wanted.template):
        return "worded differently"
    return None


def _phase(signature: Signature) -> str:
    return signature.stage.partition(" ")[0]


def _words(template: str) -> Counter[str]:
    return Counter(_WORD.findall(_PLACEHOLDERS.sub(" ", template)))


def _like_stack(wanted: Signature, found: Signature) -> str | None:
    """Crashes that come from the same function and go through another one on the way.

    The outermost one tells most: the inner ones are called from everywhere.
    """
    common = set(wanted.frames) & set(found.frames)
    meets = bool(wanted.frames) and wanted.frames[-1] in common and len(common) > 1
    if found.template != wanted.template or not meets:
        return None
    return f"the stack differs ({len(common)} of {len(wanted.frames)} functions alike)"
