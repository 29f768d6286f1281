"""A twin of a program in which uninitialised memory holds something.

`tensor.empty` has no defined contents. A program that reads them gives different results under
every compiler, without any of them being wrong, and a reduction that drops a `linalg.fill` ends up
there. Filled with an odd value, such a program gives a different result; one that never reads them
does not care.
"""

import re

_EMPTY = re.compile(
    r"^(?P<indent>[ \t]*)(?P<result>%[\w$.#-]+) = "
    r"(?P<op>\"tensor\.empty\"\([^)]*\)[^\n]*? -> |tensor\.empty\([^)]*\)[^\n]*? : )"
    r"(?P<type>tensor<(?:(?:\d+|\?)x)*(?P<element>[a-z]+\d+\w*|index)>)(?P<rest>[^\n]*)$",
    re.M,
)


def poisoned(text: str) -> str | None:
    """The twin of a module in generic or pretty form; None if it has no `tensor.empty`."""
    count = 0

    def fill(match: re.Match[str]) -> str:
        nonlocal count
        value = _odd_value(match["element"])
        if value is None:
            return match[0]
        count += 1
        raw, odd = f"%poison_raw_{count}", f"%poison_value_{count}"
        element, type_, indent = match["element"], match["type"], match["indent"]
        return (
            f"{indent}{raw} = {match['op']}{type_}{match['rest']}\n"
            f"{indent}{odd} = arith.constant {value} : {element}\n"
            f"{indent}{match['result']} = linalg.fill ins({odd} : {element}) "
            f"outs({raw} : {type_}) -> {type_}"
        )

    twin = _EMPTY.sub(fill, text)
    return twin if count else None


def _odd_value(element: str) -> str | None:
    """Far from usual inputs and yet in range of f8; None where there are no such constants."""
    if element.startswith(("f", "bf")):
        return "96.0"
    if element == "i1":
        return "true"
    if element == "i4":
        return "5"
    return "85" if element.startswith("i") else None
