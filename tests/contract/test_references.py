"""Every citation in the sources and on the pages leads to an entry: papers, sections of the specification, words."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SPECIFICATION = ROOT / "docs" / "specification.md"
REFERENCES = (ROOT / "docs" / "references.md").read_text(encoding="utf-8")
CITING = [
    ROOT / "README.md",
    *(page for page in sorted((ROOT / "docs").rglob("*.md")) if page.name != "references.md"),
    *sorted((ROOT / "src" / "ontomask").rglob("*.py")),
]

#: The keys of one entry, or of two that share it: "- **T12**: ...", "- **OWL 2**, **SKOS**: ...".
ENTRY = re.compile(r"^- ((?:\*\*[^*]+\*\*(?:, )?)+): (.+?)(?=^- |^#|\Z)", re.MULTILINE | re.DOTALL)
SHORT = re.compile(r"\b(?:T12|M13|R17|D12|S18)\b")
#: Surnames and a year: "Wu & Palmer 1994", "Li et al. (2007", "Rubin 1987", "Rubenstein and Goodenough (1965)".
NAME = r"(?:de )?[A-Z][a-zà-ÿ]+(?:-[A-Z][a-zà-ÿ]+)*"
AUTHORS = re.compile(rf"\b({NAME})((?:,? (?:& |and )?{NAME})*(?: et al\.?)?),? \(?((?:19|20)\d\d)\b(?!-\d)")
#: Words with a capital letter that come before a year and are not authors.
NOT_AUTHORS = re.compile(
    r"\b(?:Japan|California|Californian|Sample|Survey|Control|May|June|January|In|Of|Since|Until)\b"
)
DOI = re.compile(r"10\.\d{4,9}/[^\s\"<>]+")


def plain(text: str) -> str:
    """Without accents: sources spell Székely and Szekely."""
    return "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))


def entries() -> dict[str, str]:
    return {key: text for keys, text in ENTRY.findall(REFERENCES) for key in re.findall(r"\*\*([^*]+)\*\*", keys)}


def cited(text: str) -> set[tuple[str, str]]:
    """First author and year of every citation by author and year."""
    flat = plain(" ".join(text.split()))
    return {
        (first, year) for first, others, year in AUTHORS.findall(flat) if not NOT_AUTHORS.search(f"{first} {others}")
    }


def known() -> set[tuple[str, str]]:
    return {(found[1], found[2]) for key in entries() if (found := re.match(rf"({NAME}).* (\d{{4}})$", plain(key)))}


def test_citations_are_found() -> None:
    text = "after Wu & Palmer 1994, Székely et al. (2007), Rubenstein and\nGoodenough (1965) and Rubin 1987; in Japan in 2014"
    assert cited(text) == {("Wu", "1994"), ("Szekely", "2007"), ("Rubenstein", "1965"), ("Rubin", "1987")}


@pytest.mark.parametrize("path", CITING, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_citation_has_an_entry(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert set(SHORT.findall(text)) <= set(entries())
    assert cited(text) <= known(), "add the work to docs/references.md"


def test_every_entry_has_a_doi_or_says_that_there_is_none() -> None:
    assert len(entries()) > 50
    for key, text in entries().items():
        dois = re.findall(r"\[([^\]]+)\]\(https://doi\.org/([^)]+)\)", text)
        assert len(dois) == 1 or "No DOI" in text, key
        for shown, linked in dois:
            assert DOI.fullmatch(shown), key
            assert linked.replace("%28", "(").replace("%29", ")") == shown, key


def test_no_work_is_listed_twice() -> None:
    keys = [key for found, _ in ENTRY.findall(REFERENCES) for key in re.findall(r"\*\*([^*]+)\*\*", found)]
    assert len(keys) == len(set(keys))


#: "specification 7", "specification 3, 4, 5 and 7", "specification 7 to 10".
CITED_SECTIONS = re.compile(r"\b[Ss]pecification (\d+(?:\.\d+)?(?:(?:, | and | to |, and )\d+(?:\.\d+)?)*)")


def sections() -> set[str]:
    return set(re.findall(r"^##+ (\d+(?:\.\d+)?)\.? ", SPECIFICATION.read_text(encoding="utf-8"), re.MULTILINE))


def test_the_specification_has_its_sections() -> None:
    assert {str(number) for number in range(12)} <= sections()


@pytest.mark.parametrize(
    "path",
    [*CITING, *sorted((ROOT / "tests").rglob("*.py"))],
    ids=lambda path: path.relative_to(ROOT).as_posix(),
)
def test_every_cited_section_exists(path: Path) -> None:
    text = " ".join(path.read_text(encoding="utf-8").split())
    cited_sections = {
        number for found in CITED_SECTIONS.findall(text) for number in re.findall(r"\d+(?:\.\d+)?", found)
    }
    assert cited_sections <= sections()


def anchors(page: Path) -> set[str]:
    """The anchors of a page: its headings in small letters, without punctuation, blanks as hyphens."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize(
    "page",
    [*ROOT.glob("*.md"), *sorted((ROOT / "docs").rglob("*.md"))],
    ids=lambda page: page.relative_to(ROOT).as_posix(),
)
def test_links_to_headings_lead_somewhere(page: Path) -> None:
    for target, anchor in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", page.read_text(encoding="utf-8")):
        assert anchor in anchors(page.parent / target if target else page), f"{target}#{anchor}"
