"""The documents for people: each has its readers, and no link in one leads nowhere."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENTS = [
    path
    for path in sorted(ROOT.rglob("*.md"))
    if not any(part.startswith(".") for part in path.relative_to(ROOT).parts)
]

LONGEST = 120
"""Lines of README.md: what it is, and a start for everybody; the other documents say the rest."""

# The text of a link, and where it leads.
_LINK = re.compile(r"\[([^]]*)\]\(([^)\s]+)\)")


def _anchors(text: str) -> set[str]:
    """Of all headings, as web sites for sources name them."""
    plain = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    titles = re.findall(r"^#+ (.*)$", plain, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_link_leads_to_a_file_and_a_heading_that_exist(document: Path) -> None:
    for _, target in _LINK.findall(document.read_text("utf-8")):
        if target.startswith("https://"):
            continue
        path, _, anchor = target.partition("#")
        file = (document.parent / path).resolve() if path else document
        assert file.exists(), target
        assert file.is_relative_to(ROOT), target
        if anchor:
            assert anchor in _anchors(file.read_text("utf-8")), target


def test_the_first_document_is_short() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= LONGEST
