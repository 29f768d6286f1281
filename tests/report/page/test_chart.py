from reducer.driver.records.history import Moment, Spent
from reducer.explain.growth import Growth
from reducer.report.page.chart import number_charts, size_charts
from reducer.report.page.findings import findings_of
from tests.support.histories import history


def test_two_charts_that_go_down() -> None:
    runs, time = size_charts(history())
    assert (runs.x_name, time.x_name) == ("runs", "time")
    assert [line.name for line in runs.lines] == ["bytes", "ops"]
    for chart in (runs, time):
        for line in chart.lines:
            heights = [dot.y for dot in line.dots]
            assert heights == sorted(heights)  # y grows downwards
            assert all(chart.top <= y <= chart.bottom for y in heights)
            assert all(chart.left <= dot.x <= chart.right for dot in line.dots)
    assert runs.lines[0].dots[1].title == "carve: 400 bytes after 3 runs"
    assert time.lines[1].dots[2].title == "delete ops: 3 ops after 1:10"
    assert "from 60 ops and 4,000 bytes to 3 ops and 100 bytes" in runs.label


def test_ticks_are_powers_of_ten_and_round_numbers() -> None:
    runs, time = size_charts(history())
    assert [tick.label for tick in runs.y_ticks] == ["1", "10", "100", "1 k", "10 k"]
    assert [tick.label for tick in runs.x_ticks] == ["0", "5", "10"]
    assert [tick.label for tick in time.x_ticks] == ["0 s", "20 s", "40 s", "1:00", "1:20"]


def test_a_history_of_nothing_can_be_drawn_too() -> None:
    empty = history(moments=[Moment(0, 0, "x", Spent())], total=Spent())
    for chart in size_charts(empty):
        assert chart.lines[0].path.startswith("M")


def test_a_long_history_has_no_dots() -> None:
    many = [Moment(50, 4_000 - n, "x", Spent(n, 0.0, float(n))) for n in range(1_000)]
    assert [line.dots for line in size_charts(history(moments=many))[0].lines] == [[], []]


def test_the_growth_that_was_measured_is_plotted_from_the_record() -> None:
    growth = Growth("{} ops", (4, 8, 16), (0.0, 10.0, 40.0), (20.0, 10.0, 30.0), "s")
    (chart,) = number_charts(findings_of({"locate": {"growth": growth.to_json()}}))
    assert [line.name for line in chart.lines] == ["value", "reference"]
    assert [tick.at for tick in chart.x_ticks] == [dot.x for dot in chart.lines[1].dots[::-1]]
    assert chart.lines[0].dots[0].y == chart.bottom and chart.lines[0].dots[-1].y == chart.top
    assert [tick.label for tick in chart.y_ticks] == ["0", "10", "20", "30", "40"]
    damaged = {"subject": "n", "sizes": [1], "values": []}
    assert not list(number_charts(findings_of({"growth": damaged})))
