"""The README as the package's page shows it, where links to files of the repository lead nowhere.

Once pyproject.toml has the address of the repository, as `Source` in `[project.urls]`, these links
become absolute. Until then, they are plain text.
"""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"(!?)\[([^]]*)\]\((?!https?:|#)([^)]*)\)")


class PackageReadme(MetadataHookInterface):
    """Makes `readme` of README.md."""

    def update(self, metadata: dict[str, Any]) -> None:
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        source = metadata.get("urls", {}).get("Source")
        metadata["readme"] = {"content-type": "text/markdown", "text": package_page(text, source)}


def package_page(text: str, source: str | None) -> str:
    """Markdown in which no link depends on the place of the file; `source` is the repository's."""

    def replaced(match: re.Match[str]) -> str:
        picture, words, target = match.groups()
        if source is None:
            return "" if picture else words
        kind = "raw" if picture else "blob"
        return f"{picture}[{words}]({source.rstrip('/')}/{kind}/main/{target})"

    return _LINK.sub(replaced, text)
