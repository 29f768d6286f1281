"""Render templates to self-contained HTML.

The template engine escapes all values. In addition, the page's content security policy names its
only script and style sheet by their hashes, so that no others run, and forbids all requests.
"""

import hashlib
from base64 import b64encode
from functools import cache
from typing import TYPE_CHECKING

from reducer import __version__
from reducer.escaping import lines
from reducer.units import duration, plural

if TYPE_CHECKING:
    from jinja2 import Environment


def render(template: str, **values: object) -> str:
    """Render a template of `templates/` with these values, its style sheet and its script."""
    environment = _environment()
    style, script = (_source(f"{template}.{suffix}") for suffix in ("css", "js"))
    style = _source("base.css") + style
    return environment.get_template(f"{template}.html").render(
        **values,
        style=style,
        script=script,
        policy=_policy(style, script),
        version=__version__,
    )


def _policy(style: str, script: str) -> str:
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined  # slow; few commands need it

    environment = Environment(
        loader=PackageLoader("reducer.report.page"),
        autoescape=True,
        finalize=_escaped,  # also what HTML can hold but nobody should meet
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"duration": duration, "count": _count}
    environment.globals |= {"plural": plural, "signed": _signed, "tone": _tone}
    return environment


def _escaped(value: object) -> object:
    """What a template shows; markup has been through here when it was made."""
    is_text = isinstance(value, str) and not hasattr(value, "__html__")
    return lines(str(value)) if is_text else value


def _source(name: str) -> str:
    """The source of a style sheet or script in the package."""
    environment = _environment()
    assert environment.loader is not None
    return environment.loader.get_source(environment, name)[0]


def _signed(gone: int) -> str:
    """A decrease with a minus sign, an increase with a plus sign."""
    return f"\N{MINUS SIGN}{gone:,}" if gone > 0 else f"+{-gone:,}" if gone < 0 else ""


def _tone(state: str) -> str:
    """The CSS class for the color of a bucket's state."""
    return {"new": "bad", "reopened": "bad", "known": "open", "fixed": "good"}.get(state, "")


def _count(number: int) -> str:
    return f"{number:,}"
