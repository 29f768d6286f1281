"""Bug reports: a folder about one failure, and a zip archive of it to attach to an issue.

`gather` collects the facts, `make_bundle` writes the files. Everything from programs, compilers and
command lines is treated as data: it is quoted for the shell, for Markdown and for lit. The only
thing ever run is the command given by the user.
"""

from reducer.report.facts import Facts, LevelFile, PassFile
from reducer.report.gathering import gather
from reducer.report.writing import METADATA, Bundle, make_bundle

__all__ = [
    "METADATA",
    "Bundle",
    "Facts",
    "LevelFile",
    "PassFile",
    "gather",
    "make_bundle",
]
