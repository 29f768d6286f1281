"""A crash of which nothing is known but the signal."""

from oracles import Signature
from oracles.signature.kind import NamedBy

_KILLED = "SIGKILL"


def remark_on(signature: Signature) -> str:
    """What to tell about a crash without a stack or a pass; '' for any other failure.

    Programs that load a compiler as a library, as scripts in Python do, often print no stack. Then
    a crash is like any other with this signal, and a reduction may end at another bug.
    """
    known = signature.op or signature.pass_name or signature.frames or signature.details
    if known or signature.kind.traits.named_by is not NamedBy.STACK:
        return ""
    if signature.template == _KILLED:
        return (
            "something outside of the program killed it, twice, such as a limit of a container or "
            "a script; that leaves no stack, so any SIGKILL counts as the same failure"
        )
    return (
        f"the program prints no stack, so any {signature.template or 'crash'} counts as the same "
        "failure; docs/signatures.md says how to let gdb print one"
    )
