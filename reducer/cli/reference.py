"""Generate the Markdown reference of all commands from the commands themselves.

python -m reducer.cli.reference > docs/reference.md
"""

import re
from collections.abc import Iterator

import click

from reducer.cli.app import main

_HEAD = """\
# Reference

All commands and options, generated from `--help` by
`python -m reducer.cli.reference > docs/reference.md`. A test fails when this file is out of date.
"""
_VERBATIM = "\b"  # click's marker for a paragraph to keep verbatim


def reference() -> str:
    """The whole document."""
    with click.Context(main, info_name="mlir-reducer") as context:
        parts = [_HEAD, *_command(main, context)]
    return "\n".join(parts)


def _command(command: click.Command, context: click.Context) -> Iterator[str]:
    """A command and its subcommands."""
    pieces = " ".join(command.collect_usage_pieces(context))
    yield f"## {context.command_path}\n"
    yield f"```\n{context.command_path} {pieces}\n```\n"
    yield from _paragraphs(command.help or "")
    yield from _options(command, context)
    yield from _paragraphs(command.epilog or "")
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None and not inner.hidden:
                with click.Context(inner, info_name=name, parent=context) as below:
                    yield from _command(inner, below)


def _paragraphs(text: str) -> Iterator[str]:
    """Help text as Markdown, with verbatim paragraphs as code."""
    for paragraph in re.split(r"\n[ \t]*\n", text.strip("\n")):
        verbatim = paragraph.lstrip(" \n").startswith(_VERBATIM)
        lines = [line for line in paragraph.split("\n") if line.strip() not in ("", _VERBATIM)]
        if not lines:
            continue
        if not verbatim:
            yield f"{_escaped(' '.join(line.strip() for line in lines))}\n"
            continue
        indent = min(len(line) - len(line.lstrip()) for line in lines)
        lines = [line[indent:].rstrip() for line in lines]
        if lines[0].endswith(":") and len(lines) > 1:  # introduces an example or a table
            yield f"{_escaped(lines[0])}\n"
            indent = min(len(line) - len(line.lstrip()) for line in lines[1:])
            lines = [line[indent:] for line in lines[1:]]
        code = "\n".join(lines)
        yield f"```\n{code}\n```\n"


def _options(command: click.Command, context: click.Context) -> Iterator[str]:
    records = [
        record
        for parameter in command.get_params(context)
        if isinstance(parameter, click.Option) and "--help" not in parameter.opts
        if (record := parameter.get_help_record(context)) is not None
    ]
    if records:
        rows = [f"| `{_cell(names)}` | {_cell(_escaped(text))} |" for names, text in records]
        yield "\n".join(["| option | |", "|---|---|", *rows, ""])


def _escaped(text: str) -> str:
    """Text with all markup escaped outside code."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(
        part if part.startswith("`") else re.sub(r"([\\<*_\[\]])", r"\\\1", part) for part in parts
    )


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    print(reference(), end="")
