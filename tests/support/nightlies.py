"""A page of nightly packages, as a compiler's project publishes it for pip's `--find-links`."""

from pathlib import Path


def make_page(index: Path, folder: Path) -> Path:
    """Move all candidates of an index to a folder, and list them on a page; returns the page."""
    wheels = folder / "nightly"
    wheels.mkdir(parents=True)
    links = []
    for wheel in sorted(index.glob("*rc*.whl")):
        wheel.rename(wheels / wheel.name)
        links.append(f'<a href="nightly/{wheel.name}">{wheel.name}</a><br>')
    page = folder / "pip-release-links.html"
    page.write_text("<html><body>\n" + "\n".join(links) + "\n</body></html>\n")
    return page
