"""Roles, kinds and settings of a policy in words, and the glossary. Methods and models explain themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ontomask.arguments import short
from ontomask.assessment.loss import HEADLINE
from ontomask.policy.policy import Policy
from ontomask.privacy.models import CHECKED, Finding, Model
from ontomask.taxonomy.areas import ZIP3
from ontomask.taxonomy.catalog import catalog_name, list_taxonomies
from ontomask.taxonomy.taxonomy import Taxonomy
from ontomask.wording import Unit, capital

ROLES = {"quasi": "quasi-identifier", "sensitive": "sensitive", "other": "other", "identifier": "identifier, removed"}
PSEUDONYM = "identifier, released as a pseudonym"
MISSING = {
    "error": "a missing value is an error",
    "category": "a missing value is a category of its own",
    "drop_record": "records without a value are left out",
}
#: In the order in which a reader meets them.
GLOSSARY = {
    "Record": "One row of the data, for example one hospital stay. A person can have several records.",
    "Identifier": "A column that identifies people directly, such as a name or a patient number. It is removed, or replaced by "
    "a pseudonym: a code that nobody without the secret key can compute.",
    "Quasi-identifier": "A column that an intruder may know from elsewhere, such as age or place. Several of them together can "
    "identify a record although none does so alone.",
    "Sensitive column": "A column whose value must not become known about a person, such as a diagnosis or an income.",
    "Masking": "Changing or removing values so that records are harder to re-identify.",
    "Class": "All records with the same quasi-identifiers. By these values alone, its records cannot be distinguished.",
    "Unique record": "The only record of its class. An intruder who knows its released quasi-identifiers finds it.",
    "k-anonymity": "Every class has at least k records.",
    "l-diversity": "Every class has at least l different sensitive values, so that the class does not disclose the value.",
    "t-closeness": "In every class the sensitive values are distributed nearly as in the whole table; t is the largest "
    "distance allowed.",
    "Probabilistic k-anonymity": "The mean chance of linking a released value to the right record is at most 1 in k, "
    "although records can be unique.",
    "Profile": "The quasi-identifiers of all records of a person together.",
    "Safe harbor": "A rule of the United States for health data (45 CFR 164.514(b)(2)): none of eighteen kinds of identifiers "
    "is left, such as names, small places, dates finer than a year, and numbers of persons.",
    "Severity": "How much it would harm a person if a value became known, as defined by the institution.",
    "Record linkage": "An attempt to find, for each original record, the released record that came from it, or the other way "
    "round.",
    "Prosecutor, marketer and journalist risk": "Three kinds of intruder. A prosecutor knows the quasi-identifiers of one "
    "person, and knows that this person is in the data. A journalist knows the quasi-identifiers of one person, but not "
    "whether this person is in the data. A marketer knows the quasi-identifiers of the whole population and tries to link "
    "all records.",
    "Taxonomy": "Concepts from general to specific, such as a classification of diseases. It defines which values are similar "
    "in meaning.",
    "Semantic distance": "The difference in meaning between two concepts: 0 for the same; the larger, the less they have in "
    "common. The scale depends on the measure.",
    "Distance correlation": "How strongly two columns are related, from 0 (not at all) to 1; defined for numbers and concepts.",
    "Suppressed record": "A record that was left out of the release because it could not be protected.",
}

#: Terms that not every report uses.
SPECIAL = frozenset(
    (
        "Identifier|l-diversity|t-closeness|Probabilistic k-anonymity|Profile|Safe harbor|Severity|"
        "Prosecutor, marketer and journalist risk|Taxonomy|Semantic distance|Distance correlation"
    ).split("|")
)


def glossary(policy: Policy, models: Sequence[Model]) -> dict[str, str]:
    """The terms that a report on a release uses, explained. ``models``: all that were checked."""
    assert policy.method is not None
    used = {term for part in (policy.method, *models) for term in part.terms}
    used |= {"Identifier"} if policy.identifiers else set()
    used |= {"Prosecutor, marketer and journalist risk"} if policy.quasi_identifiers else set()
    used |= {"Distance correlation"} if len(policy.studied) > 1 else set()
    if any(attribute.named_taxonomy is not None for attribute in policy.attributes.values()):
        used |= {"Taxonomy", "Semantic distance"}
    found = {term: meaning for term, meaning in GLOSSARY.items() if term not in SPECIAL or term in used}
    found["k-anonymity"] = policy.unit.instead(found["k-anonymity"])
    if policy.unit_columns:
        unit = policy.unit
        found[capital(unit.one)] = (
            f"Records belong to {unit.many}, by a column of the original. One {unit.one} counts once, however many records it "
            "has."
        )
    return found | ({HEADLINE.head: HEADLINE.reported.explained} if HEADLINE.reported is not None else {})


def taxonomy_name(taxonomy: Any) -> str:
    """A taxonomy without the path it was read from."""
    if isinstance(taxonomy, Taxonomy):
        return catalog_name(taxonomy) or taxonomy.name or "own taxonomy"
    return str(taxonomy) if taxonomy in (*list_taxonomies(), ZIP3) else "own taxonomy (a file)"


def checked_in_words(findings: Sequence[Finding]) -> str:
    """Which data were looked at: the release, or what a run recorded of itself."""
    used = {finding.checked_on for finding in findings}
    return " and ".join(how for data, (_, how) in CHECKED.items() if data in used)


def settings_in_words(settings: Any, unit: Unit) -> list[list[str]]:
    """The settings of a method: name, value, what it means. ``unit``: what k counts."""
    rows = []
    for name, field in type(settings).model_fields.items():
        if name == "name":
            continue
        value = getattr(settings, name)
        unset = value is None or value in ({}, [])
        if name == "hierarchies":
            value = ", ".join(f"{column}: {hierarchy.kind}" for column, hierarchy in value.items())
        meaning = field.description or ""
        meaning = unit.instead(meaning) if name == "k" else meaning
        rows.append([name, "not set" if unset else short(str(value), 120), meaning])
    return rows
