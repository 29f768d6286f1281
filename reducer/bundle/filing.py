"""How to file a report as an issue: the command for GitHub's `gh`, which nothing here runs."""

from oracles.profiles import profile_of
from reducer.bundle.facts import Facts
from reducer.bundle.title import title
from reducer.escaping import shell_joined

_UNKNOWN = "OWNER/REPO"
"""For a program of no known project: it is up to the reader where its bugs are filed."""


def issue_command(facts: Facts, body: str) -> str:
    """The line that files the report in the file `body`, for a POSIX shell.

    It sets no labels: only people with triage rights can, and projects have bots for theirs.
    """
    profile = profile_of(facts.compiler.name)
    known = profile.has(facts.compiler.name)
    repository = (profile.bug_form.repository if known else "") or _UNKNOWN
    words = ("gh", "issue", "create", "--repo", repository, "--title", title(facts))
    return shell_joined([*words, "--body-file", body])


def issue_text(facts: Facts, body: str) -> str:
    """The file that says how to file the report."""
    return (
        f"{issue_command(facts, body)}\n\n"
        "Run this command in this folder, or paste the title and report.md into a new issue.\n"
        "gh cannot attach files: drag the zip of this folder into the issue afterwards.\n"
    )
