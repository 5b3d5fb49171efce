"""The words of messages, docstrings and pages: *records* where records are counted, and the terms of the glossary."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "src" / "ontomask").rglob("*.py"))
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "docs").rglob("*.svg")),
    *sorted((ROOT / "src" / "ontomask").rglob("*.j2")),
]

PERSONS = r"(?:person|persons|people|everybody|everyone|nobody|no one|anybody|somebody)"
#: Claims about persons where records were counted. Persons may be named where nothing is counted: "lead back to people".
CLAIMS = re.compile(
    rf"""
    \b{PERSONS}\s+(?:still\s+)?(?:hides?|hid|stands?|stood)\b                          # every person hides among
  | \b{PERSONS}\s+(?:is|are|was|were)\s+(?:unique|alone|hidden|protected|told\ apart)\b
  | \bhides?\s+(?:a\ |every\ |each\ )?{PERSONS}\s+among\b
  | (?:\d|\{{\}})\s+(?:people|persons)\b                                               # 5 people, {{}} people
  | \bmore\s+(?:people|persons)\s+than\b
  | \b(?:stands?|stood|standing)\s+alone\b
  | \btells?\s+{PERSONS}\s+apart\b
  | \bof\s+every(?:body|one)\b                                                         # knows the columns of everybody
    """,
    re.VERBOSE | re.IGNORECASE,
)


#: Where persons are what is counted.
COUNTING_PERSONS = {
    "kernels/profiles.py",
    "masking/profile_microaggregation.py",
    "docs/persons.md",
    "docs/tutorial-hospital.md",
    "docs/methods/profile_microaggregation.md",
}


def texts(source: str) -> Iterator[str]:
    """Every text of a module, docstrings too; what is filled in at run time stands as {}."""
    inside: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.JoinedStr):
            inside |= {id(part) for part in node.values}
            yield "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inside:
            yield node.value


def claims(text: str) -> list[str]:
    return [found[0] for found in CLAIMS.finditer(" ".join(text.split()))]


@pytest.mark.parametrize(
    "text",
    [
        "every person hides among at least this many",
        "1,868 of 2,000 people stand alone on age.",
        "Everybody hides among at least 5 records",
        "Nobody stood alone on age",
        "Nobody can hide among more people than there are",
        "most people are alone with what others know",
        "It hides a person among k records.",
        "An intruder who knows age of everybody links 3 in 100",
        "a record may stand\n    alone",
    ],
)
def test_claims_about_persons_are_found(text: str) -> None:
    assert claims(text)


def test_claims_are_found_in_texts_that_are_put_together() -> None:
    text = next(texts('f"{unique:,} of {records:,} " f"people have it"\n'))
    assert (text, claims(text)) == ("{} of {} people have it", ["{} people"])


@pytest.mark.parametrize(
    "text",
    [
        "1,868 of 2,000 records are unique on age.",
        "these files lead back to people; keep them with the original data",
        "what others may know about a person",
        "several records of one person do not count as one person",
        "what is computed from one column alone is unchanged",
    ],
)
def test_persons_may_be_named_where_nothing_is_counted(text: str) -> None:
    assert not claims(text)


@pytest.mark.parametrize("module", SOURCES, ids=lambda path: path.relative_to(ROOT / "src" / "ontomask").as_posix())
def test_messages_count_records(module: Path) -> None:
    found = [claim for text in texts(module.read_text(encoding="utf-8")) for claim in claims(text)]
    if module.relative_to(ROOT / "src" / "ontomask").as_posix() not in COUNTING_PERSONS:
        assert not found, "say records where records are counted"


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_pages_count_records(page: Path) -> None:
    if page.relative_to(ROOT).as_posix() not in COUNTING_PERSONS:
        assert not claims(page.read_text(encoding="utf-8")), "say records where records are counted"


# ---- the words of the field ---------------------------------------------------------------------------------------------

#: Idioms that a reader has to translate; the glossary has the words of the field in their place.
IDIOMS = re.compile(
    r"""
    \byardsticks?\b                                  # measure, column distance
  | \b(?:is|are|was|were|you\ are)\ told\b            # reported
  | \bto\ be\ had\b | \bcan(?:not)?\ be\ had\b        # available, possible
  | \bmany\ ways\b | \btwelve\ ways\b | \bsemantic\ ways?\b   # candidates, methods
  | \bjudged\ (?:by|side)\b                         # evaluated by, compared
  | \bleaves?\ the\ house\b                         # the organisation
  | \bworked\ out\b                                # computed
  | \bin\ its\ place\b                             # instead
  | \bspeaks?\ of\b                                # covers, applies to
  | \bcomes?\ out\ here\b                          # is reproduced
    """,
    re.VERBOSE | re.IGNORECASE,
)
#: More of them in messages, docstrings and the comments of policy files.
HOMELY = re.compile(
    rf"""
    {IDIOMS.pattern}
  | \btold\b                                          # reported, distinguished
  | \bslips?\b                                        # error, typing error
  | (?<!\bthere\ )\b(?:is|are|was|were)\ no\ (?!longer\b|more\b|one\b)   # is not a; expected X, got Y
  | \bwork(?:s|ed)?\ out\b                           # compute
  | \b(?:has|have|had)\ (?:a|its|no|their)\ place\b   # is in, is covered by
  | \bways?\ of\ masking\b                           # candidate, method
  | \brungs?\b | \bladders?\b                        # level, hierarchy
  | \bhides?\ (?:itself\ )?among\b                   # shares its quasi-identifiers with
  | \bgive[sn]?\ (?:it|them|one|that|something|people|(?:a|the|one)\ (?:record|person))\ away\b   # disclose, identify
  | \bthe\ house\b | \bmend(?:s|ed)?\b | \bfor\ ever\b
  | \bgrave(?:st|r)?\b                                # severe
    """,
    re.VERBOSE | re.IGNORECASE,
)
#: Texts that are data, not sentences: scales in other languages.
DATA = ("ninguno < leve < moderado < grave < muy grave",)
READ_PAGES = [page for page in PAGES if page.suffix == ".md" and page.name != "CHANGELOG.md"]


def prose(page: Path) -> str:
    """A page without its blocks of code, which show what the program says."""
    return re.sub(r"^ *```.*?^ *```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("text", ["what was detected is told", "judged by one yardstick", "it cannot be had this way"])
def test_idioms_are_found(text: str) -> None:
    assert IDIOMS.search(text)


@pytest.mark.parametrize("page", READ_PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_pages_use_the_words_of_the_field(page: Path) -> None:
    found = [match[0] for match in IDIOMS.finditer(" ".join(prose(page).split()))]
    assert not found, "see docs/glossary.md"


@pytest.mark.parametrize(
    "text",
    [
        "a list is no frame",
        "what masking costs is worked out",
        "the line of every slip",
        "values that have no place",
        "a rung",
    ],
)
def test_homely_words_are_found(text: str) -> None:
    assert HOMELY.search(text)


@pytest.mark.parametrize("text", ["there is no such file", "it is no longer there", "expected a DataFrame, got list"])
def test_plain_words_are_not(text: str) -> None:
    assert not HOMELY.search(text)


@pytest.mark.parametrize("module", SOURCES, ids=lambda path: path.relative_to(ROOT / "src" / "ontomask").as_posix())
def test_sources_use_the_words_of_the_field(module: Path) -> None:
    sentences = [" ".join(text.split()) for text in texts(module.read_text(encoding="utf-8")) if text not in DATA]
    found = [match[0] for sentence in sentences for match in HOMELY.finditer(sentence)]
    assert not found, "see docs/glossary.md"


def test_every_page_is_listed_where_readers_begin() -> None:
    """README links every page of docs, directly or through the page of its folder."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for page in (ROOT / "docs").glob("*.md"):
        assert f"(docs/{page.name})" in readme, page.name
    for folder in ("methods", "measures"):
        shared = (ROOT / "docs" / folder / "README.md").read_text(encoding="utf-8")
        for page in (ROOT / "docs" / folder).glob("*.md"):
            assert page.name == "README.md" or f"({page.name})" in shared, page.name
