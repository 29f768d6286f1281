"""Read results as the runtime prints them, and compare them; `repro.sh` holds this text.

    python3 printed_results.py RIGHT PRINTED TOLERANCES SCALES FINITE_ONLY

So it needs nothing but the standard library of Python 3.7. In the right results, `_` stands for an
element that may be anything, `~` before how far an element may be off because of rounding, and `!`
before a zero whose sign counts. Complex numbers are two elements there.
"""

from __future__ import annotations

import math
import re
import struct
import sys
from pathlib import Path

NOT_IN_FULL = 3
SIGN, VALUES, NOT_FINITE, TYPE, COUNT = 10, 11, 12, 13, 14  # exit statuses, most severe last
UNDEFINED, SLACK, SIGNED, ELIDED = "_", "~", "!", "..."

_HEAD = re.compile(
    r"result\[\d+\]: (?:(?P<type>(?P<sizes>\d+x)?(?P<element>\w+))=(?P<values>\S+)$)?"
)
_VALUE = re.compile(r"(?P<type>(?P<sizes>(?:\d+x)*)(?P<element>[a-z]+\d+\w*))=(?P<values>.*)$")


def results_in(text: str) -> list[re.Match[str] | None]:
    """For each result the match of its type and values; None if it is no number or tensor.

    A number has no sizes, not even an empty text of them.
    """
    found: list[re.Match[str] | None] = []
    for line in text.splitlines():
        head = _HEAD.match(line)
        value = _VALUE.match(line)
        if head is not None:
            found.append(head if head["type"] else None)
        elif found and value is not None:
            found[-1] = value
    return found


def words_of(values: str) -> list[str]:
    """The words of a tensor, `...` among them if it is not printed in full."""
    return values.replace("[", " ").replace("]", " ").split()


def number(word: str) -> float:
    """The number that a word spells; integers stay exact, and `-0` is a float."""
    try:
        whole = int(word)
    except ValueError:
        return float(word)
    return -0.0 if whole == 0 and word.startswith("-") else whole


def parts_of(word: str, element: str) -> tuple[float, ...]:
    """The numbers in a word: the two parts of a complex one, which is spelled as its bytes."""
    if not element.startswith("cf"):
        return (number(word),)
    return struct.unpack("<ff" if element == "cf64" else "<dd", bytes.fromhex(word))


def is_close(
    ours: float, theirs: float, tolerance: float, scale: float, finite_only: bool, slack: float
) -> bool:
    """Whether two elements are the same but for rounding."""
    if ours == theirs:
        return True
    if not (math.isfinite(ours) and math.isfinite(theirs)):
        return finite_only or (math.isnan(ours) and math.isnan(theirs))
    return abs(ours - theirs) <= tolerance * max(abs(ours), abs(theirs), scale) + slack


def wrong(ours: float, right: str, tolerance: float, scale: float, finite_only: bool) -> int:
    """In which way an element is wrong; 0 if it is right."""
    word, _, slack = right.lstrip(SIGNED).partition(SLACK)
    theirs = 0.0 if word == UNDEFINED else number(word)
    if word == UNDEFINED:
        return 0
    if not is_close(ours, theirs, tolerance, scale, finite_only, float(slack or 0)):
        return VALUES if math.isfinite(ours) and math.isfinite(theirs) else NOT_FINITE
    is_other = math.copysign(1, ours) != math.copysign(1, theirs)
    return SIGN if right.startswith(SIGNED) and ours == 0 and is_other else 0


def main(right: str, printed: str, tolerances: str, scales: str, finite_only: str) -> int:
    """Print the first of the gravest differences; the exit status says of which kind it is."""
    lines = Path(right).read_text(encoding="utf-8").splitlines()
    wanted = [_VALUE.match(line.partition(": ")[2]) for line in lines]
    given = results_in(Path(printed).read_text(encoding="utf-8", errors="replace"))
    found = []
    if len(given) != len(wanted):
        found.append((COUNT, f"{len(given)} results, expected {len(wanted)}"))
    for n in range(min(len(given), len(wanted))):
        ours, theirs = given[n], wanted[n]
        if ours is None or theirs is None:
            continue
        if (ours["sizes"] or "") != theirs["sizes"]:
            found.append((TYPE, f"result {n}: {ours['type']}, expected {theirs['type']}"))
            continue
        words = words_of(ours["values"])
        if ELIDED in words:
            print("the results are not printed in full")
            return NOT_IN_FULL
        limits = float(tolerances.split()[n]), float(scales.split()[n]), finite_only == "1"
        parts = [part for word in words for part in parts_of(word, ours["element"])]
        for at, word in enumerate(words_of(theirs["values"])[: len(parts)]):
            if wrong(parts[at], word, *limits):
                code = wrong(parts[at], word, *limits)
                found.append((code, f"result {n}, element {at}: {parts[at]}, expected {word}"))
    if found:
        worst = max(code for code, _ in found)
        print(next(said for code, said in found if code == worst))
        return worst
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
