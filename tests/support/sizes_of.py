"""The sizes in a text."""

import re


def sizes_of(text: str) -> list[int]:
    """The static dims of the first tensor type, for predicates that look at sizes."""
    match = re.search(r"tensor<((?:\d+x)+)", text)
    return [int(size) for size in match[1].rstrip("x").split("x")] if match else [0]
