import pytest

from reducer.page.gains import gains
from reducer.session.history import FELL_BACK, Moment, Spent, Tries
from tests.support.histories import history


def test_shares_are_orders_of_magnitude_and_add_up_to_one() -> None:
    found = gains(history())  # 4,000 to 400 to 100 bytes
    assert [row.name for row in found.winners] == ["carve", "delete ops"]
    assert sum(row.share for row in found.winners) == pytest.approx(1)
    assert found.winners[0].share == pytest.approx(1 / 1.602, abs=1e-3)
    assert [row.name for row in found.others] == ["drop dims"]
    assert [row.name for row in found.upkeep] == ["run the input"]


def test_what_was_lost_again_counts_against() -> None:
    moments = [
        Moment(8, 100, "carve", Spent()),
        Moment(20, 1_000, FELL_BACK, Spent()),
        Moment(8, 40, "carve", Spent()),
    ]
    tries = {"carve": Tries(2, 2), FELL_BACK: Tries()}
    found = gains(history(moments=moments, tries=tries))
    assert [(row.name, row.share > 0) for row in found.winners] == [
        ("carve", True),
        (FELL_BACK, False),
    ]


def test_nothing_won() -> None:
    assert gains(history(moments=[], tries={})).winners == []
