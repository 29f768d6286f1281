"""What to compile with what."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from reducer.triage.configuration import Compiler, Configuration
from reducer.triage.flags_file import FlagsLine
from reducer.triage.inputs import Input

Translate = Callable[[tuple[str, ...], Compiler], tuple[str, ...]]
"""From flags to those that say the same to a compiler."""


@dataclass(frozen=True)
class Plan:
    """Each input with the flags that are meant for it, on each compiler.

    `common` are flags for all inputs; `directory` is where relative paths in flags start. Without
    `translate` each compiler is asked how it spells them.
    """

    compilers: tuple[Compiler, ...]
    lines: tuple[FlagsLine, ...]
    common: tuple[str, ...]
    directory: str
    translate: Translate | None = None

    def configurations(self, item: Input) -> Iterator[Configuration]:
        """Each configuration for an input, once."""
        for compiler in self.compilers:
            found = (
                self.configuration(compiler, (*self.common, *line.flags))
                for line in self.lines
                if any(line.fits(place.below, compiler.version) for place in item.places)
            )
            yield from dict.fromkeys(found)

    def configuration(self, compiler: Compiler, flags: Sequence[str]) -> Configuration:
        """A compiler with these flags, as it spells them."""
        wanted = tuple(flags)
        spelt = self.translate(wanted, compiler) if self.translate else wanted
        return Configuration(compiler, spelt, self.directory)
