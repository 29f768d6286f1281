"""Texts and what is made of them: each paragraph of a file is a case.

    # what is shown, and more lines about it
    ? what is asked, a word that the test knows
    the text that it is asked about
    -> what comes, a line at a time; nothing for nothing
    ~ a part => another
    -> what comes of the text above with all those parts replaced

A question holds until the next one, which is about the same text if none follows it; `\\n` is a new
line in a part. A test compares each
paragraph with what it is now. `python -m tests.support.texts` writes all files anew; look at what
it changes.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

_TESTS = Path(__file__).parents[1]
Questions = Mapping[str, Callable[..., str | Sequence[str]]]


def paragraphs(file: Path) -> list[Any]:
    """The cases of a file, as parameters of a test."""
    text = file.read_text(encoding="utf-8")
    return [pytest.param(each, id=each[2:].partition("\n")[0]) for each in _split(text)[1:]]


def answered(paragraph: str, questions: Questions) -> str:
    """The paragraph with the answers of today."""
    lines: list[str] = []
    whole = text = asked = question = ""
    is_open = False
    for line in paragraph.splitlines(keepends=True):
        if line.startswith("->"):
            if is_open:
                word, _, more = question.partition(": ")
                text, asked, is_open = asked or text, "", False
                answer = questions[word](text, *([more] if more else []))
                answer = answer.splitlines() if isinstance(answer, str) else answer
                lines += [f"-> {part}".rstrip() + "\n" for part in answer] or ["->\n"]
            continue
        lines.append(line)
        if line.startswith("# "):
            continue
        is_open = True
        if line.startswith("? "):
            question = line[2:].strip()
        elif line.startswith("~ "):
            old, new = line[2:-1].replace("\\n", "\n").split(" => ")
            asked = asked or whole
            assert old in asked, line
            asked = asked.replace(old, new)
        else:
            asked += line
            whole = asked
    return "".join(lines)


def _split(text: str) -> list[str]:
    return re.split(r"(?<=\n\n)(?=# )", text)


if __name__ == "__main__":
    for test in _TESTS.rglob("test_*texts.py"):
        module = import_module(".".join(test.relative_to(_TESTS.parent).with_suffix("").parts))
        for file in module.FILES:
            head, *cases = _split(file.read_text(encoding="utf-8"))
            renewed = [answered(each, module.QUESTIONS) for each in cases]
            file.write_text("".join([head, *renewed]), encoding="utf-8")
