"""The options that say where compiler packages come from, besides pip's index."""

from reducer.errors import UsageError
from reducer.toolchain import PackageSource


def package_source(find_links: tuple[str, ...], *, pre: bool) -> PackageSource:
    """The places that the options name.

    Raises:
        UsageError: one does not exist.
    """
    source = PackageSource(find_links, pre)
    if source.missing:
        raise UsageError(f"--find-links: {source.missing[0]}: no such file or folder")
    return source
