"""A listener that ignores all events."""

from reducer.driver.settings import Event, Message, Phase, Progress


class Silent:
    """Ignores all events; override the methods for those that matter."""

    def __call__(self, event: Event) -> None:
        match event:
            case Phase(name):
                self.phase(name)
            case Progress():
                self.progress(event)
            case Message(text):
                self.message(text)

    def phase(self, name: str) -> None: ...
    def progress(self, event: Progress) -> None: ...
    def message(self, text: str) -> None: ...
