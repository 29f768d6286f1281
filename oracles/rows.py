"""What is known of the words of tools: rows, each with a sample that needs it.

A row is a pattern for something that a tool prints, and the name of a sample: real output of such a
tool. Rows that are read alike are the alternatives of one pattern. Samples are in
`tests/oracles/samples`, a file for each group of tools, or in `tests/oracles/recorded`. The tests
walk all rows: without a row, its sample is read as another failure. No sample, no row.
"""

import re
from dataclasses import dataclass, replace

Row = tuple[str, str]
"""A pattern, and the name of its sample: `GROUP/NAME`, or the path of a recording."""


@dataclass(frozen=True)
class RowTable:
    """Rows that are read alike: `within` is the pattern around their alternatives, `{rows}`."""

    rows: tuple[Row, ...]
    within: str
    flags: int

    def without(self, row: Row) -> re.Pattern[str]:
        """The pattern for all rows but this one; nothing matches none."""
        others = tuple(one for one in self.rows if one != row)
        if not others:  # groups that are asked for have to be there
            return re.compile(f"(?!)(?:{_text(self)})", self.flags)
        return re.compile(_text(replace(self, rows=others)), self.flags)


TABLES: dict[re.Pattern[str], RowTable] = {}
"""The table of each pattern that is made of rows."""


def pattern_of(*rows: Row, within: str = "{rows}", flags: int = 0) -> re.Pattern[str]:
    """The pattern that matches what one of the rows matches."""
    table = RowTable(rows, within, flags)
    pattern = re.compile(_text(table), flags)
    TABLES[pattern] = table
    return pattern


def row_of(pattern: str, sample: str, *, flags: int = 0) -> re.Pattern[str]:
    """The pattern of a single row."""
    return pattern_of((pattern, sample), flags=flags)


def _text(table: RowTable) -> str:
    return table.within.replace("{rows}", "|".join(pattern for pattern, _ in table.rows))
