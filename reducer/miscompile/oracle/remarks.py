"""What a comparison has to say besides its verdict, each thing once."""

from collections.abc import Sequence


class Remarks:
    """Remarks in order; one that holds for several inputs is told once, with their number."""

    def __init__(self) -> None:
        self._places: dict[str, list[str]] = {}

    def add(self, text: str, where: str = "") -> None:
        """Add a remark; `where` says for which input it holds, '' if it does for all."""
        places = self._places.setdefault(text, [])
        if where and where not in places:
            places.append(where)

    @property
    def lines(self) -> list[str]:
        """One line for each remark."""
        return [f"{text}{_shown(places)}" for text, places in self._places.items()]


def _shown(places: Sequence[str]) -> str:
    if not places:
        return ""
    return f" (on {places[0]})" if len(places) == 1 else f" (on {len(places)} inputs)"
