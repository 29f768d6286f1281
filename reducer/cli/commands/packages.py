"""The options that say where compiler packages come from, as `package_source` takes them."""

from collections.abc import Callable
from typing import Any

import click


def with_package_options(pre_help: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add `--pre` and `--find-links`, whose values make a `PackageSource`."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        function = click.option(
            "--find-links",
            metavar="URL_OR_PATH",
            multiple=True,
            help="Also look for packages here, as pip does: a page with links to wheels, or a "
            "folder. docs/bisect.md has the page of nightly packages. Can be repeated.",
        )(function)
        return click.option("--pre", is_flag=True, help=pre_help)(function)

    return add
