"""A listener for reductions that nobody watches."""

from reducer.session import Progress


class Silent:
    """Hears everything and says nothing."""

    def phase(self, name: str) -> None: ...
    def progress(self, event: Progress) -> None: ...
    def message(self, text: str) -> None: ...
