"""A listener that ignores all events."""

from reducer.session.settings import Progress


class Silent:
    """Ignores all events."""

    def phase(self, name: str) -> None: ...
    def progress(self, event: Progress) -> None: ...
    def message(self, text: str) -> None: ...
