"""A report that may leave the house: it holds no name of the original, or is not written."""

import re
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import ClassVar

from oracles import Oracle, Signature
from reducer.bundle.anonymize import Leftover, anonymize
from reducer.bundle.check import REPRO
from reducer.bundle.names import language_of, names_in, value_names
from reducer.session.errors import ExitCode, ReducerError

NOTE = (
    "Names are not those of the original: symbols, strings, resources, values and locations were "
    "replaced, and it was seen to fail in the same way afterwards."
)

_TELLING = 5
"""Characters from which on a name is looked for, also inside longer words."""
_SHOWN = 12
_WORD = re.compile(r"[\w$.-]+")
_PLAIN = re.compile(r"(?:arg|values?|result|cst|c)?[\d_]*")  # names of values that printers give


class NotAnonymous(ReducerError):
    """Something of the original would be told."""

    exit_code: ClassVar[ExitCode] = ExitCode.FLAKY


def anonymous(
    text: str, oracle: Oracle, signature: Signature, opt: Path | None, told: Collection[str]
) -> str:
    """The program without names, which fails as before.

    `told` are names that may stay. Raises NotAnonymous where others do.
    """
    result = anonymize(text, oracle, signature, opt=opt, input_name=REPRO)
    if not result.verified:
        raise NotAnonymous("without its names the program does not fail in the same way")
    _refuse([one for one in result.leftovers if one.name not in told])
    return result.text


def refusing(original: str, told: Collection[str]) -> Callable[[Mapping[str, bytes]], None]:
    """A last look at all files of a report: raises NotAnonymous if one has a name of the original.

    Short names, those that printers give to values, and words of the language tell nothing.
    """
    values = {name for name in value_names(original) if not _PLAIN.fullmatch(name)}
    names = values | {name.text for name in names_in(original)}
    telling = {name for name in names if len(name) >= _TELLING}
    telling -= language_of(original) | set(told)

    def look(files: Mapping[str, bytes]) -> None:
        found: list[Leftover] = []
        for file, data in files.items():
            words = "\n".join(set(_WORD.findall(data.decode(errors="replace"))))
            found += [Leftover(name, file) for name in sorted(telling) if name in words]
        _refuse(found)

    return look


def _refuse(found: Collection[Leftover]) -> None:
    if not found:
        return
    each = list(dict.fromkeys(f"{one.name!r} in the {one.where}" for one in found))
    more = f" and {len(each) - _SHOWN} more" if len(each) > _SHOWN else ""
    raise NotAnonymous(
        f"nothing is written, since it would still tell {', '.join(each[:_SHOWN])}{more}; "
        "a name that may be told: --keep-name NAME"
    )
