"""The phases of IREE's compiler, in order: a run may stop after any of them."""

PHASES = (
    "input",
    "abi",
    "preprocessing",
    "global-optimization",
    "dispatch-creation",
    "flow",
    "stream",
    "executable-sources",
    "executable-configurations",
    "executable-targets",
)
"""Those after which stopping saves something; later ones are all but the whole compilation."""

STOP_FLAG = "--compile-to"
_OWN_WAYS = (STOP_FLAG, "--compile-from", "--compile-mode")


def may_stop_early(program: str, flags: tuple[str, ...]) -> bool:
    """Whether a command is a plain IREE compilation that does not choose its phases itself."""
    chosen = any(flag.partition("=")[0].lstrip("-") in _names() for flag in flags)
    return program.endswith("iree-compile") and not chosen


def _names() -> frozenset[str]:
    return frozenset(name.lstrip("-") for name in _OWN_WAYS)
