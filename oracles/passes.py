"""Which pass failed, as far as the compiler's text tells."""

import re
from collections.abc import Iterable

_FAILED_PASS = re.compile(r"^// -----// IR Dump After (?P<name>\S+) Failed", re.M)
_REPRODUCER = re.compile(r"Pipeline failed while executing (?P<running>[^\n]*): reproducer ")
_RUNNING = re.compile(r"`(?P<name>[^`]+)` on ")
_LLVM_PASS = re.compile(r"^\d+\.\s+Running pass '(?P<name>[^']+)' on ", re.M)
_PASS_BODY = re.compile(r"^(?:.*::)?(?P<name>\w+)::runOnOperation$")
_NESTS = re.compile(r"Adaptor|Executables?(?:Variants)?Pass$|LowerExecutableTargetPass$")


def failing_pass(stderr: str) -> str:
    """The innermost pass that failed, from `--mlir-print-ir-after-failure`, or ''."""
    match = _FAILED_PASS.search(stderr)
    return match["name"] if match else ""


def named_pass(stderr: str) -> str:
    """The pass that the text itself calls the failing one, or ''.

    A crash reproducer's note lists all that were running; of several, which comes first is chance.
    """
    if name := failing_pass(stderr):
        return name
    match = _REPRODUCER.search(stderr) if "Pipeline failed while" in stderr else None
    if match is not None and (running := _RUNNING.findall(match["running"])):
        return min(str(name).rsplit("::", 1)[-1] for name in running)
    inner: list[str] = _LLVM_PASS.findall(stderr) if "Running pass '" in stderr else []
    return inner[-1] if inner else ""


def pass_on_stack(names: Iterable[str]) -> str:
    """The innermost pass whose body is on a stack, or ''; one that only runs others is none.

    >>> pass_on_stack(["a::f", "a::FooPass::runOnOperation", "b::BarPass::runOnOperation"])
    'FooPass'
    """
    for name in names:
        match = _PASS_BODY.match(name)
        if match and not _NESTS.search(match["name"]):
            return match["name"]
    return ""
