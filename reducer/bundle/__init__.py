"""The bug report of one failure: a folder, and a zip of it to attach to an issue.

`gather` collects what there is to say, `make_bundle` writes it. Whatever comes from a program, a
compiler or a command line is data here: it is quoted for the shell, for Markdown and for lit, and
nothing of it is ever run but the command that the user gave.
"""

from reducer.bundle.facts import Facts, PassFile
from reducer.bundle.gathering import gather
from reducer.bundle.writing import METADATA, Bundle, archive_of, bundle_folder, make_bundle

__all__ = [
    "METADATA",
    "Bundle",
    "Facts",
    "PassFile",
    "archive_of",
    "bundle_folder",
    "gather",
    "make_bundle",
]
