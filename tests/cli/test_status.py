"""Messages about what a command is doing."""

import threading

import click
import pytest

from reducer.cli.status import print_status, status_printer


@pytest.mark.parametrize("quiet", [False, True])
def test_a_quiet_command_says_nothing_from_another_thread_either(
    quiet: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    context = click.Context(click.Command("reduce"))
    context.params["quiet"] = quiet
    with context:
        thread = threading.Thread(target=status_printer(), args=["later"])
        print_status("now")
        thread.start()
        thread.join()
    assert capfd.readouterr().err == ("" if quiet else "now\nlater\n")
