"""Rules that propose the role, kind and taxonomy of a column, with reasons and what a person must check.

What is uncertain is proposed as the safer choice: what nobody knows anything about is masked, what may name a person
is removed. Reasons give numbers of values, never values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from ontomask.arguments import counted
from ontomask.column_names.names import CODES, COUNT, Topic, is_coded, is_counted, is_scale, names_a_key
from ontomask.errors import DataError
from ontomask.microdata.columns import encode_column
from ontomask.profiling.column_facts import FEW_RECORDS, Facts
from ontomask.profiling.column_topics import names_a_person, topic_of_column
from ontomask.profiling.date_proposals import propose_dates
from ontomask.profiling.outcome import AnyRole, ByRole, Proposal
from ontomask.profiling.taxonomy_candidates import Candidate

Unmatched = Literal["stop", "flat"]

#: Whole numbers of no more different values may be codes.
FEW_VALUES = 12
#: Ages from here on are proposed to be one class, as 45 CFR 164.514(b)(2) asks.
OLD = 90
TOP_HINT = f"ages of {OLD} and more are rare: top: {OLD} makes one class of them, shown as {OLD}+"
#: A scale has no more steps.
MOST_STEPS = 20
_ANY_TAXONOMY = "a taxonomy of its values would keep more of their meaning: --taxonomy COLUMN=FILE"


def propose(
    facts: Facts,
    role: AnyRole | None,
    ask: Callable[[Topic | None, Facts], Sequence[Candidate]],
    unmatched: Unmatched = "flat",
    *,
    all_seen: bool = True,
) -> Proposal:
    """Propose what the column is. ``role``: given by the user. ``ask`` looks for taxonomies of values, which may take a while.

    ``unmatched``: is a column nominal although masking will stop at some of its values, or flat? ``all_seen``: are these
    all values of the column, so that an order of them can be written out?
    """
    if role == "identifier":
        return Proposal("identifier", "identifier", ["the role is given"])
    if not facts.distinct:
        return _empty(role)
    topic = topic_of_column(facts)
    sets = None if topic is not None and topic.role == "identifier" else _sets(facts, topic, ask, unmatched)
    if sets is not None:
        _set_role(sets, facts, topic, role)
        return sets
    named = _identifier(facts, topic) if role is None else None
    if named is not None:
        return named
    found = [] if facts.dates or topic is COUNT else ask(topic, facts)
    if role is None and not any(c.fits for c in found):
        named = _all_different(facts, topic) or _repeating_key(facts, topic)
        if named is not None:
            named.candidates = found
            return named
    made = _kind(facts, topic, found, unmatched, all_seen=all_seen)
    made.candidates = found
    _set_role(made, facts, topic, role)
    _ask_about_keys(made, facts, role)
    if facts.markers:
        made.checks.append(
            f"{_records(facts.markers)} a mark such as NA or None that may stand for a missing value; here it is a value: "
            "missing_markers: [MARK] makes it missing"
        )
    if facts.far_number is not None:
        made.checks.append(
            f"{facts.far_number} is far from all other numbers: if it stands for a missing value, write missing_markers: "
            f"[{facts.far_number}] and missing: category"
        )
    return made


# ---- identifiers -------------------------------------------------------------------------------------------------


def _empty(role: AnyRole | None) -> Proposal:
    if role is not None:
        return Proposal(role, "flat", ["the role is given", "no record has a value"], ["is the column needed?"])
    return Proposal(
        "identifier",
        "identifier",
        ["no record has a value: nothing is lost without it"],
        ["if values come later, give the column a kind and a role"],
    )


def _identifier(facts: Facts, topic: Topic | None) -> Proposal | None:
    """By name, or by the way the values are written."""
    removed = "it is removed from the release"
    if topic is not None and topic.role == "identifier":
        checks: list[str | ByRole] = []
        if facts.held >= FEW_RECORDS and facts.distinct <= max(2, 0.02 * facts.held):
            checks = [f"there are only {counted(facts.distinct, 'value')}: does it really identify persons?"]
        elif topic.weak and facts.different < 0.5 and not facts.is_text:
            checks = ["the values repeat often: if it does not identify persons, give the role quasi"]
        return Proposal("identifier", "identifier", [f"the name suggests {topic.what}", removed], checks)
    if facts.shape is not None:
        return Proposal("identifier", "identifier", [f"the values look like {facts.shape}", removed])
    if facts.free_text:
        return Proposal(
            "identifier",
            "identifier",
            ["free text cannot be masked and may identify persons", removed],
            ["if the texts are categories, give the role and a taxonomy"],
        )
    return None


def _all_different(facts: Facts, topic: Topic | None) -> Proposal | None:
    """No two records share a value, and the values are not measurements."""
    numbered = names_a_key(facts.name)
    if topic is not None and not numbered:
        return None
    text = facts.is_text and not facts.dates and facts.all_differ
    if not text and not facts.like_keys:
        return None
    what = "texts" if text else "whole numbers in sequence, like keys"
    return Proposal(
        "identifier",
        "identifier",
        [f"nearly every record has its own value, {what}", "it is removed from the release"],
        [] if numbered else ["if it does not identify persons, give the role quasi"],
    )


def _repeating_key(facts: Facts, topic: Topic | None) -> Proposal | None:
    """Numbers or codes of persons who have several records."""
    if topic is not None or not facts.repeats_as_keys:
        return None
    each = f"{facts.held / facts.distinct:.1f}"
    what = "codes" if facts.is_text else "whole numbers that are not amounts"
    return Proposal(
        "identifier",
        "identifier",
        [
            f"{counted(facts.distinct, 'value')}, each in {each} records on average: {what}",
            "it is removed from the release",
        ],
        [
            "if it does not identify persons, give the role quasi"
            + ("" if facts.is_text else " (and kind: numeric if these are amounts)")
        ],
    )


def _ask_about_keys(made: Proposal, facts: Facts, role: AnyRole | None) -> None:
    """A column that stays in the release although it is named like a key, and repeats."""
    if made.role != "identifier" and role is not None and names_a_person(facts) and facts.distinct < facts.held:
        made.checks.append(
            "it is named like a key and its values repeat: if it identifies persons or their stays, write kind: identifier"
        )


# ---- kinds -------------------------------------------------------------------------------------------------------


def _kind(
    facts: Facts, topic: Topic | None, found: Sequence[Candidate], unmatched: Unmatched, *, all_seen: bool
) -> Proposal:
    """What the values are; the role follows."""
    if facts.dates:
        return propose_dates(facts)
    best = found[0] if found else None
    if best is not None and best.fits and (best.complete or unmatched == "stop"):
        return _nominal(facts, best, found)
    made = _number(facts, topic) if facts.is_number else _text(facts, topic, all_seen=all_seen)
    if best is not None:
        made.hints = [hint for hint in made.hints if hint != _ANY_TAXONOMY]
        (made.checks if best.holds_most else made.hints).append(_near(best))
    return _computable(facts, made)


def _sets(
    facts: Facts, topic: Topic | None, ask: Callable[[Topic | None, Facts], Sequence[Candidate]], unmatched: Unmatched
) -> Proposal | None:
    """Several concepts in a cell: a sign separates what a taxonomy knows, and it does not know the texts as they stand."""
    if facts.dates:
        return None
    for sign in facts.separators:
        items = facts.items(sign)
        found = ask(topic, items)
        best = found[0] if found else None
        if best is None or not best.fits or not (best.complete or unmatched == "stop"):
            continue
        if any(whole.taxonomy == best.taxonomy and whole.fits for whole in ask(topic, facts)):
            return None  # a label may hold the sign
        made = _nominal(items, best, found)
        made.more["many"], made.candidates = sign, found
        made.reasons.insert(0, f"cells hold several items, separated by {sign!r} (many)")
        return made
    return None


def _nominal(facts: Facts, best: Candidate, found: Sequence[Candidate]) -> Proposal:
    placed = f"{best.named} covers "
    if best.complete:
        placed += f"all {counted(best.asked, 'value')}" if best.asked > 1 else "the only value"
    else:
        placed += _shares(best)
    made = Proposal("quasi", "place" if best.areas else "nominal", [placed], taxonomy=best.taxonomy)
    if best.areas:
        made.hints.append(
            "areas of fewer than 20,000 inhabitants are replaced by larger ones: least_population changes it"
        )
    if best.asked < facts.distinct:
        made.checks.append(f"only the {best.asked:,} most frequent of {facts.distinct:,} values were tried")
    if not best.complete:
        made.checks.append(
            f"masking stops at {counted(best.unmatched, 'value')} ({counted(best.unmatched_records, 'record')}) without a "
            f"place: ontomask taxonomy match {best.named} DATA --column COLUMN -o mapping.csv writes a file to fill in; then "
            "add mapping: mapping.csv, or correct the data, or write kind: flat without taxonomy and measure"
        )
    if facts.is_number or best.lost_zeros:
        made.checks.append(
            "CODES WRITTEN AS NUMBERS may have lost leading or trailing zeros and then mean other codes"
            + (f" ({counted(best.lost_zeros, 'code')} had to be completed)" if best.lost_zeros else "")
            + ": compare them with their source, and keep codes as text"
        )
    if best.ambiguous:
        text = f"{counted(best.ambiguous, 'value')} with several senses, of which the first is already used"
        made.checks.append(f"{text}: ontomask taxonomy match {best.named} DATA --column COLUMN shows them")
    if best.taxonomy == "wordnet":
        made.checks.append("WordNet knows nearly every word: check that the senses are those meant")
    equal = [c.named for c in found[1:] if c.fits and (c.records, c.values) == (best.records, best.values)]
    if equal:
        made.checks.append(f"{' and '.join(equal)} cover as many: which one is meant?")
    return made


def _near(best: Candidate) -> str:
    """A taxonomy that does not fit."""
    text = f"{best.named} covers {_shares(best)}"
    if best.ambiguous:
        text += f", {counted(best.ambiguous, 'value')} with several senses"
    remedy = "resolve the senses with a mapping" if best.complete else "give a mapping for the other values"
    return f"{text}: to mask by meaning, write kind: nominal and taxonomy: {best.named}, and {remedy}"


def _shares(candidate: Candidate) -> str:
    return f"{_percent(candidate.values)} of the values and {_percent(candidate.records)} of the records"


def _percent(share: float) -> str:
    """A share that is not all never reads as all."""
    return f"{share if share == 1 else min(share, 0.999):.1%}"


def _number(facts: Facts, topic: Topic | None) -> Proposal:
    numbers = "whole numbers" if facts.is_whole else "numbers"
    numeric = Proposal("quasi", "numeric", [numbers], decimals=facts.decimals)
    flat = Proposal("quasi", "flat", [f"{numbers} used as codes"])
    if topic is not None and topic.codes is not None:
        flat.checks.append(
            "CODES WRITTEN AS NUMBERS have lost leading or trailing zeros: get them as text and start again"
        )
        return flat
    if facts.is_whole and facts.distinct == 2:
        return Proposal("quasi", "flat", ["two numbers, like yes and no"])
    if facts.is_whole and facts.distinct <= MOST_STEPS and is_scale(facts.name):
        return Proposal("quasi", "ordinal", [f"a scale of {counted(facts.distinct, 'step')}"])
    if topic is CODES:
        flat.checks.append("if it identifies persons or their stays, write kind: identifier; if amounts, kind: numeric")
        return flat
    if topic is not None and topic.kind == "flat":
        if topic.id == "postal_code":
            flat.checks.append("postal codes stored as numbers have lost leading zeros: store them as text")
        if topic.id == "work" and facts.distinct > FEW_VALUES:
            flat.checks.append(
                "occupation codes stored as numbers may have lost leading zeros: store them as text; a taxonomy of them "
                "(--taxonomy COLUMN=FILE) keeps their meaning"
            )
        return flat
    if topic is not COUNT and facts.is_whole and _are_codes(facts):
        flat.checks.append("if the numbers are amounts, write kind: numeric; if a scale, kind: ordinal")
        return flat
    if topic is not None and (topic.kind == "numeric" or not facts.few_codes):
        if topic.id == "age" and facts.highest >= OLD:
            numeric.hints.append(TOP_HINT)
        return numeric
    if is_counted(facts.name) or not facts.is_whole:
        return numeric
    if facts.small_range:
        numeric.reasons = ["small whole numbers without gaps, like counts"]
        numeric.checks.append("if the numbers are codes, write kind: flat; if a scale, kind: ordinal")
        return numeric
    if facts.distinct <= FEW_VALUES and facts.distinct <= 0.05 * facts.held:
        flat.reasons = [f"whole numbers, but only {facts.distinct} different ones: codes, perhaps"]
        flat.checks.append("if the numbers are amounts, write kind: numeric; if a scale, kind: ordinal")
        return flat
    return numeric


def _are_codes(facts: Facts) -> bool:
    """Does the name say that the numbers stand for something?"""
    if is_counted(facts.name):
        return False
    return is_coded(facts.name) or (names_a_key(facts.name) and facts.few_codes)


def _text(facts: Facts, topic: Topic | None, *, all_seen: bool) -> Proposal:
    if facts.is_text and facts.ordered:
        return Proposal("quasi", "ordinal", ["categories that have an order in the data"])
    if facts.order is not None and all_seen:
        return _in_order(facts)
    made = Proposal("quasi", "flat", [facts.type])
    if not facts.is_text:
        return made
    if facts.numbers_as_text and (topic is None or topic.kind != "flat"):
        made.checks.append("numbers that are stored as text: if they are amounts, correct the file and start again")
    elif facts.among_numbers and (topic is None or topic.kind != "flat"):
        made.checks.append(
            f"all values but one are numbers, and {_records(facts.among_numbers)} this one: if it stands for a missing value, "
            "start again with --missing and the text of it"
        )
    if is_scale(facts.name) and facts.distinct > 2:
        made.hints.append("if the values have an order, write kind: ordinal and order: [first, ..., last]")
    if topic is not None and topic.codes is not None:
        made.hints.append(_ANY_TAXONOMY)
    return made


def _in_order(facts: Facts) -> Proposal:
    """Bands of numbers, or steps of a scale that everybody knows: the order is written out."""
    assert facts.order is not None
    what, order = facts.order
    reason = (
        f"{counted(len(order), 'band')} of numbers, in their order" if what == "bands" else "steps of a known scale"
    )
    made = Proposal("quasi", "ordinal", [reason], order=order)
    if what == "scale":
        made.checks.append("is order: from first to last what the values mean? If not, correct it or write kind: flat")
    return made


def _computable(facts: Facts, made: Proposal) -> Proposal:
    """The proposal, or a flat column where the values cannot be computed with."""
    if made.kind not in ("numeric", "ordinal") or facts.ordered or made.order is not None:
        return made
    try:
        encode_column(facts.name, made.attribute(), facts.extremes(), [])  # type: ignore[arg-type]
    except DataError:
        problem = (
            "some values cannot be used in computations (not finite, too large, too close or with too many digits)"
        )
        mend = f"{problem}: correct them and write kind: {made.kind}"
        return Proposal(made.role, "flat", made.reasons, [*made.checks, mend], made.hints)
    return made


# ---- roles -------------------------------------------------------------------------------------------------------


def _set_role(made: Proposal, facts: Facts, topic: Topic | None, role: AnyRole | None) -> None:
    """The role, as given, by the name, or the safer one."""
    if role is not None:
        made.role = role
        made.reasons.insert(0, "the role is given")
        return
    if topic is not None and topic.role == "sensitive" and not facts.dates:
        made.role = "sensitive"
        made.reasons.insert(0, f"{_told(facts, topic)}, which must not be disclosed")
        if topic.clinical:
            role_if = "if others can know it, write role: quasi; it is then "
            made.checks.append(ByRole(f"{role_if}masked", f"{role_if}released unchanged"))
    elif topic is not None and topic.codes is not None:
        known = f"{_told(facts, topic)}, which others may know"
        made.reasons.insert(0, ByRole(f"{known}, so it is masked", known))
        role_if = "if nobody can know it, write role: sensitive; it is then "
        made.checks.append(ByRole(f"{role_if}released unchanged", f"{role_if}masked"))
    elif topic is not None and topic.role == "quasi":
        made.reasons.insert(0, f"{_told(facts, topic)}, which others can know")
    elif facts.dates:
        made.reasons.insert(0, "others can know the date")
    elif facts.distinct == 1 and not facts.missing:
        made.reasons.insert(0, "all records have the same value, so it distinguishes none")
    else:
        made.unknown = True
        made.reasons.insert(
            0,
            "neither its name nor its values show what it is; treated as something that others can know, the safer choice",
        )
        made.checks.append("decide the role: quasi, sensitive or other")


def _told(facts: Facts, topic: Topic) -> str:
    return f"the {'values suggest' if facts.doses else 'name suggests'} {topic.what}"


def _records(number: int) -> str:
    return f"{number:,} {'record holds' if number == 1 else 'records hold'}"
