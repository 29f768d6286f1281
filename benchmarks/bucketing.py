"""Measure how well signatures distinguish bugs: precision and recall over the recorded texts.

    python -m benchmarks.bucketing               a table, and the errors at level `normal`
    python -m benchmarks.bucketing --list        every text with its bucket

Pairs of texts are counted: precision is the share of pairs in one bucket that come from one bug,
recall the share of pairs from one bug that are in one bucket. Two kinds of pairs are counted
separately: two bugs whose texts are identical, and one bug seen through commands that collect
different information (one of them finds the failing pass, say), which no reduction ever compares.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import combinations

import click

from oracles.signature.derive import Level
from tests.support.recorded import Recording, recordings


@dataclass(frozen=True)
class Score:
    """Numbers of pairs of texts, and the pairs that are wrong."""

    right: int
    mixed: tuple[tuple[Recording, Recording], ...]
    """Two bugs in one bucket."""
    split: tuple[tuple[Recording, Recording], ...]
    """One bug in two buckets."""
    alike: int
    """Two bugs in one bucket that print identical text."""
    asked: int
    """One bug in two buckets, because only one of the commands collects more information."""

    @property
    def precision(self) -> float:
        return self.right / max(self.right + len(self.mixed), 1)

    @property
    def recall(self) -> float:
        return self.right / max(self.right + len(self.split), 1)


def score(texts: Iterable[Recording], bucket: Callable[[Recording], str]) -> Score:
    """Compare buckets with the true groups, pair by pair."""
    known = [(text, bucket(text)) for text in texts]
    right = alike = asked = 0
    mixed: list[tuple[Recording, Recording]] = []
    split: list[tuple[Recording, Recording]] = []
    for (one, bucket_one), (other, bucket_other) in combinations(known, 2):
        same_bug, same_bucket = one.group == other.group, bucket_one == bucket_other
        if same_bug and same_bucket:
            right += 1
        elif same_bug and one.asked != other.asked:
            asked += 1
        elif same_bug:
            split.append((one, other))
        elif same_bucket and one.group == other.same_text_as and one.asked == other.asked:
            alike += 1
        elif same_bucket:
            mixed.append((one, other))
    return Score(right, tuple(mixed), tuple(split), alike, asked)


def score_at(level: Level, texts: Iterable[Recording]) -> Score:
    """The score of the buckets at one level."""
    return score(texts, lambda text: text.signature(level).bucket)


@click.command()
@click.option("--list", "listed", is_flag=True, help="Print every text with its signature.")
@click.option(
    "--level",
    type=click.Choice([str(each) for each in Level]),
    default="normal",
    help="Of what is listed.",
)
def main(listed: bool, level: str) -> None:
    """Print precision and recall at each level."""
    texts = recordings()
    if listed:
        for text in texts:
            signature = text.signature(Level(level))
            click.echo(f"{text.file}: {signature.bucket} {signature.text}")
        return
    click.echo(f"{len(texts)} texts of {len({text.group for text in texts})} bugs\n")
    click.echo("| level | buckets | precision | recall | mixed | split | same text | asked more |")
    click.echo("|---|--:|--:|--:|--:|--:|--:|--:|")
    for each in Level:
        result = score_at(each, texts)
        buckets = len({text.signature(each).bucket for text in texts})
        click.echo(
            f"| {each} | {buckets} | {result.precision:.4f} | {result.recall:.4f} "
            f"| {len(result.mixed)} | {len(result.split)} | {result.alike} "
            f"| {result.asked} |"
        )
    wrong = score_at(Level(level), texts)
    for word, pairs in (("two bugs, one bucket", wrong.mixed), ("one bug, two", wrong.split)):
        for one, other in pairs:
            click.echo(f"{word}: {one.file} and {other.file}")


if __name__ == "__main__":
    main()
