"""Which values of which parameters have failed, and in which surroundings."""


class Tried:
    """The memory of all descents of one search.

    A value that has failed will most likely fail again while nothing has changed around the places
    that have it. Such values are put off as long as anything else makes progress; where
    `everything` is wanted, they are tried once more.
    """

    def __init__(self) -> None:
        self.everything = False
        self.put_off = 0
        self._failed: set[tuple[str, str, str]] = set()

    def fails(self, tuning: str, where: str, value: object) -> None:
        """Remembers a value that has failed; '' stands for surroundings that nobody knows."""
        if where:
            self._failed.add((tuning, where, str(value)))

    def is_put_off(self, tuning: str, where: str, value: object) -> bool:
        """Whether a value need not be tried now; counted if so."""
        if self.everything or (tuning, where, str(value)) not in self._failed:
            return False
        self.put_off += 1
        return True
