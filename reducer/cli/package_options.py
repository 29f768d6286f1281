"""The options that say where compiler packages come from, besides pip's index."""

from collections.abc import Callable
from typing import Any

import click

from reducer.errors import UsageError
from reducer.toolchain import PackageSource


def with_package_options(pre_help: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add `--pre` and `--find-links`, whose values make a `PackageSource`."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        function = click.option(
            "--find-links",
            metavar="URL_OR_PATH",
            multiple=True,
            help="Also look for packages here, as pip does: a page with links to wheels, or a "
            "folder; repeatable. docs/bisect.md has the page of nightly packages.",
        )(function)
        return click.option("--pre", is_flag=True, help=pre_help)(function)

    return add


def package_source(find_links: tuple[str, ...], *, pre: bool) -> PackageSource:
    """The places that the options name.

    Raises:
        UsageError: one does not exist.
    """
    source = PackageSource(find_links, pre)
    if source.missing:
        raise UsageError(f"--find-links: {source.missing[0]}: no such file or folder")
    return source
