"""Where packages come from, besides the package index that pip is configured to use."""

from dataclasses import dataclass, replace
from pathlib import Path

from oracles.profiles import RELEASES


@dataclass(frozen=True)
class PackageSource:
    """Further places with packages, and whether candidates count as releases.

    Attributes:
        find_links: pages with links to wheels (URLs or files), or folders of wheels, as for pip's
            `--find-links`.
        pre: whether "newest" may be a release candidate or a nightly package, as for pip's `--pre`.
            A version that is named is installed either way.
    """

    find_links: tuple[str, ...] = ()
    pre: bool = False

    @property
    def arguments(self) -> tuple[str, ...]:
        """The arguments of `pip install`."""
        return *(f"--find-links={place}" for place in self.find_links), *["--pre"] * self.pre

    @property
    def missing(self) -> tuple[str, ...]:
        """Places that are neither addresses nor existing paths; pip would just ignore them."""
        return tuple(
            place for place in self.find_links if "://" not in place and not Path(place).exists()
        )

    def with_nightlies(self) -> "PackageSource":
        """The same, and the page on which the compiler's project lists its nightly packages."""
        page = RELEASES.nightlies
        if not page or page in self.find_links:
            return self
        return replace(self, find_links=(*self.find_links, page))


INDEX_ONLY = PackageSource()
"""Nothing but the index that pip is configured to use."""
