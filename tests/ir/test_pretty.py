"""Aliases and value names of much text; before and after are in `texts`."""

from collections import Counter

import pytest

from reducer.ir import pretty
from reducer.ir.pretty import inline_aliases, shorten_value_names


def test_text_with_a_location_for_each_op_is_read_a_few_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Reading it again for each of them took minutes for 5,000 ops."""
    names = [f"#loc{number}" for number in range(500)]
    before = "".join(f'{name} = loc("{name[1:]}")\n' for name in names)
    before += "".join(f" t.op loc({name})\n" for name in names)
    read: list[int] = []
    mentions = pretty._mentions

    def counted(text: str) -> Counter[str]:
        read.append(len(text))
        return mentions(text)

    monkeypatch.setattr(pretty, "_mentions", counted)
    after = inline_aliases(before)
    assert after == "".join(f' t.op loc("{name[1:]}")\n' for name in names)
    assert sum(read) < 3 * len(before)


def test_more_than_the_alphabet() -> None:
    before = ", ".join(f"%arg{n}" for n in range(60))
    names = shorten_value_names(before).split(", ")
    assert (names[25], names[26], names[52]) == ("%z", "%a0", "%a1")
    assert len(set(names)) == 60
