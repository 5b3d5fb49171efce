"""A policy in words for readers who do not program: columns, methods, models, and the terms of the field."""

from __future__ import annotations

from typing import Any

from ontomask.arguments import counted, short
from ontomask.masking.generalization import Generalization
from ontomask.masking.microaggregation import Microaggregation
from ontomask.masking.rank_swapping import RankSwapping
from ontomask.masking.recoding import Recoding
from ontomask.masking.resampling import Resampling
from ontomask.masking.shuffling import Shuffling
from ontomask.masking.suppression import Suppression
from ontomask.privacy.k_anonymity import KAnonymity
from ontomask.privacy.km_anonymity import KmAnonymity
from ontomask.privacy.l_diversity import LDiversity
from ontomask.privacy.models import Model
from ontomask.privacy.probabilistic import ProbabilisticKAnonymity
from ontomask.privacy.severity_diversity import SeverityDiversity
from ontomask.privacy.t_closeness import TCloseness
from ontomask.taxonomy.catalog import catalog_name, list_taxonomies
from ontomask.taxonomy.taxonomy import Taxonomy

ROLES = {"quasi": "quasi-identifier", "sensitive": "sensitive", "other": "other", "identifier": "identifier, removed"}
KINDS = {
    "nominal": "concepts of a taxonomy",
    "flat": "categories, equal or not",
    "ordinal": "categories in an order",
    "numeric": "numbers",
    "identifier": "",
}
MISSING = {
    "error": "a missing value is an error",
    "category": "a missing value is a category of its own",
    "drop_record": "records without a value are left out",
}
#: In the order in which a reader meets them.
GLOSSARY = {
    "Record": "One row of the data, usually one person or one stay.",
    "Identifier": "A column that names people directly, such as a name or a number. It is removed.",
    "Quasi-identifier": "A column that others may know of a person, such as age or place. Several together may single "
    "somebody out although none of them names anybody.",
    "Sensitive column": "What nobody should learn about a person from the data, such as a diagnosis or an income.",
    "Masking": "Changing or removing values so that people are harder to find.",
    "Class": "All records that look the same in every quasi-identifier. Somebody who knows these values of a person can "
    "narrow the search down to one class, and no further.",
    "Unique record": "The only record of its class: who knows its quasi-identifiers has found it.",
    "k-anonymity": "Every class has at least k records.",
    "l-diversity": "Every class holds at least l different sensitive values, so that knowing the class does not tell the "
    "value.",
    "t-closeness": "In every class the sensitive values are spread nearly as in all the data; t says how far they may differ.",
    "Probabilistic k-anonymity": "The chance to link a record to the right value is at most 1 in k, though records may look "
    "unique.",
    "Severity": "How grave it would be for a person if a value became known, as defined by the institution.",
    "Record linkage": "An attempt to find, for each record of the original data, the released record that came from it. "
    "The share that succeeds says how well masking hides records.",
    "Prosecutor, marketer and journalist risk": "Three views on being found: somebody looks for one person known to be in "
    "the data; for as many people as possible; for anybody at all.",
    "Taxonomy": "A tree of concepts from general to special, such as a classification of diseases. It tells which values are "
    "near in meaning.",
    "Semantic distance": "How far two concepts are apart in meaning: 0 for the same, 1 for nothing in common.",
    "Information loss": "How much masking changed the records, in percent of what replacing all of them by one average record "
    "would change.",
    "Distance correlation": "How strongly two columns go together, from 0 (not at all) to 1; it works for numbers and for "
    "concepts.",
    "Suppressed record": "A record that was left out of the release because it could not be hidden.",
}

#: Terms that not every report uses, and the word that tells whether one does.
SPECIAL = {
    "Identifier": "identifier, removed",
    "k-anonymity": "-anonym",
    "l-diversity": "diversity",
    "t-closeness": "closeness",
    "Probabilistic k-anonymity": "probabilistic",
    "Severity": "severity",
    "Prosecutor, marketer and journalist risk": "prosecutor",
    "Taxonomy": "concepts of a taxonomy",
    "Semantic distance": "concepts of a taxonomy",
    "Distance correlation": "distance correlation",
}


def glossary(used: str) -> dict[str, str]:
    """The terms that occur in a text, explained."""
    text = used.lower()
    return {term: meaning for term, meaning in GLOSSARY.items() if SPECIAL.get(term, "") in text}


def taxonomy_name(taxonomy: Any) -> str:
    """A taxonomy without the path it was read from."""
    if isinstance(taxonomy, Taxonomy):
        return catalog_name(taxonomy) or taxonomy.name or "own taxonomy"
    return str(taxonomy) if taxonomy in list_taxonomies() else "own taxonomy (a file)"


def method_in_words(method: Any) -> tuple[str, str]:
    """What a method is called, and what it does."""
    named = {
        Microaggregation: "Microaggregation",
        Recoding: "Recoding",
        Resampling: "Resampling",
        Suppression: "Suppression",
        RankSwapping: "Rank swapping",
        Shuffling: "Shuffling",
        Generalization: "Generalization",
    }
    return named.get(type(method), type(method).__name__), _done_by(method)


def _done_by(method: Any) -> str:
    if isinstance(method, Microaggregation):
        if method.replace == "hybrid":
            return (
                f"Records that are alike were put into groups of at least {method.k:,}. Each value was then replaced by one "
                "drawn at random near it, no farther away than the group reaches."
            )
        return (
            f"Records that are alike were put into groups of at least {method.k:,}. Every record of a group now shows the "
            "same values: the centre of the group."
        )
    if isinstance(method, Recoding):
        to = {"semantic": "nearest in meaning", "discernibility": "rarest", "random": "random"}[method.guide]
        return (
            f"Combinations of values that fewer than {counted(method.k, 'record')} share were replaced by another one of the "
            f"data ({to}), until all are shared by at least {method.k:,}."
        )
    if isinstance(method, Resampling):
        return (
            "Samples were drawn from the records and sorted; records at the same place of all samples now show "
            "their common centre."
        )
    if isinstance(method, Suppression):
        return f"Records whose combination of values fewer than {method.k:,} share were left out; no value was changed."
    if isinstance(method, RankSwapping):
        among = "at random" if method.variant == "random" else "with a near one"
        return f"Values changed places between records, each {among}. Every value still occurs, but in another record."
    if isinstance(method, Shuffling):
        return (
            "Sensitive values were dealt out anew, so that they still go together with the other columns as before but no "
            "longer stand in their own records."
        )
    if isinstance(method, Generalization):
        how = (
            "Records that are alike show what their values have in common"
            if method.search == "local"
            else "Each column shows one level of its hierarchy"
        )
        left = (
            f" Up to {method.suppression_limit:.1%} of the records could be left out."
            if method.suppression_limit
            else ""
        )
        return f"Values were replaced by more general ones. {how}; as little as possible was given up.{left}"
    return ""


def settings_in_words(settings: Any) -> list[list[str]]:
    """The settings of a method: name, value, what it means."""
    rows = []
    for name, field in type(settings).model_fields.items():
        if name == "name":
            continue
        value = getattr(settings, name)
        unset = value is None or value in ({}, [])
        if name == "hierarchies":
            value = ", ".join(f"{column}: {hierarchy.kind}" for column, hierarchy in value.items())
        rows.append([name, "not set" if unset else short(str(value), 120), field.description or ""])
    return rows


def model_in_words(model: Model) -> str:
    """What a model asks for."""
    if isinstance(model, KAnonymity):
        return f"Every released record looks like at least {counted(model.k - 1, 'other')} in all quasi-identifiers."
    if isinstance(model, KmAnonymity):
        return (
            f"Whoever knows any {counted(model.m, 'quasi-identifier')} of a record finds at least "
            f"{counted(model.k, 'record')} that fit."
        )
    if isinstance(model, LDiversity):
        return f"In every class the sensitive values differ enough: at least {model.l:g} values, counted as {model.variant}."
    if isinstance(model, TCloseness):
        return f"In no class do the sensitive values differ by more than {model.t:g} (of at most 1) from those of all records."
    if isinstance(model, SeverityDiversity):
        return (
            "No class consists only of grave cases."
            if model.downward
            else f"In every class the severity of the sensitive values differs enough: at least {model.l} grades."
        )
    if isinstance(model, ProbabilisticKAnonymity):
        return f"The chance to link a value to the record it came from is at most 1 in {model.k:,}."
    return "No column that names people is left in the release."
