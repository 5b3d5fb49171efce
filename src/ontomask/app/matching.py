"""The task ``match``: the values of a column against a taxonomy, and the taxonomy as a table that pages can look into."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import polars as pl

from ontomask.app.answer_files import TREE
from ontomask.app.work import Work, write_rows
from ontomask.arguments import counted, did_you_mean, short
from ontomask.errors import OptionError
from ontomask.kinds.nominal import Nominal
from ontomask.microdata.attributes import ConceptAttribute
from ontomask.microdata.item_lists import count_items
from ontomask.microdata.open_table import open_table
from ontomask.policy.policy import Policy
from ontomask.progress import Progress
from ontomask.taxonomy.catalog import list_taxonomies
from ontomask.taxonomy.lexicon import Suggestion, fold
from ontomask.taxonomy.match_result import Matching
from ontomask.taxonomy.matching import SCORES, match_counts
from ontomask.taxonomy.taxonomy import Taxonomy

#: Matched and unmatched values that an answer lists; unmatched ones that get candidates, and how many.
MOST_LISTED, MOST_UNMATCHED, SUGGESTED, NEAR = 5_000, 2_000, 500, 5
#: Characters of a value that can be repaired: more than any code or name has.
LONGEST_VALUE = 1_000


def match_column(work: Work) -> dict[str, Any]:
    """Place the values of a column in a taxonomy, as masking would."""
    policy = work.policy()
    column = work.argument("column", str, "")
    attribute = _attribute(work, policy, column)
    work.progress(0.05, "reading the column")
    attributes = {**policy.attributes, column: attribute}
    others = {name for name in attributes if name != column and policy.drops(name)}
    opened = open_table(work.data, attributes, reading=policy.reading, unread=others.__contains__)
    if column not in opened.data.columns:
        raise OptionError(f"the data have no column {column!r}", remedy="Open the data again.")
    values, converted = attribute.read(column, opened.data[column], None)
    work.progress(0.2, "reading the taxonomy")
    taxonomy = attribute.load()
    tally = _counted(values, attribute)
    work.progress(0.5, "matching values")
    numbers = tally if values.dtype.is_numeric() else ()
    found = match_counts(tally, taxonomy, attribute.mapping, attribute.language, numbers)
    several = attribute.separator is not None or isinstance(values.dtype, pl.List)
    answer: dict[str, Any] = {"counted": "entries" if several else "records"}
    answer |= _answer(column, attribute, found, tally, values.null_count(), work.progress)
    answer["notes"] += [str(told) for told in attribute.noted(column, converted)]
    work.progress(0.9, "keeping the taxonomy for the tree")
    write_rows(tree_table(taxonomy, found), work.folder / TREE)
    return answer


def _attribute(work: Work, policy: Policy, column: str) -> ConceptAttribute:
    """The column as one of concepts, with the taxonomy that is asked for, or that of the policy."""
    if column not in policy.attributes:
        raise OptionError(f"no column {column!r}", remedy=f"{did_you_mean(column, policy.attributes)}Check the name.")
    own = policy.attributes[column]
    named = work.argument("taxonomy", str)
    if named is None:
        if not isinstance(own, ConceptAttribute):
            raise OptionError(f"column {column!r} has no taxonomy", remedy="Choose one first.")
        return own
    require_choice(own, column)
    if named not in list_taxonomies():
        if named not in work.project.info.taxonomies:
            raise OptionError("there is no such taxonomy", remedy="Upload it, or choose a built-in one.")
        named = str(work.project.folder / named)
    if isinstance(own, ConceptAttribute):
        return own.changed(taxonomy=named)
    role = own.role if own.role != "identifier" else "quasi"
    return Nominal(taxonomy=named, role=role, missing_markers=getattr(own, "missing_markers", []))


def has_taxonomy(attribute: Any) -> bool:
    """Are the values of the column concepts of a taxonomy?"""
    return attribute is not None and attribute.named_taxonomy is not None


def may_choose(attribute: Any) -> bool:
    """May another taxonomy be chosen for the column: it has none, or its taxonomy is a setting?"""
    return not has_taxonomy(attribute) or "taxonomy" in type(attribute).model_fields


def require_choice(attribute: Any, column: str) -> None:
    """An error where the kind of a column brings its taxonomy along, as areas with populations do."""
    if not may_choose(attribute):
        raise OptionError(
            f"the taxonomy of column {column!r} belongs to its kind: {attribute.in_words}",
            remedy="Choose another kind in the policy first.",
        )


def _counted(values: pl.Series, attribute: ConceptAttribute) -> Counter[str]:
    present = values.drop_nulls()
    if isinstance(present.dtype, pl.List):
        present = present.list.explode().drop_nulls()
    distinct = present.alias("value").to_frame().group_by("value", maintain_order=True).len("records")
    tally: Counter[str] = Counter()
    for value, records in distinct.iter_rows():
        tally[str(value)] += records
    return tally if attribute.separator is None else count_items(tally, attribute.separator)


def _answer(
    column: str, attribute: ConceptAttribute, found: Matching, tally: Counter[str], missing: int, progress: Progress
) -> dict[str, Any]:
    taxonomy = found.taxonomy
    by = []
    for how in SCORES:
        rows = [row for row in found.rows if row.how == how]
        if rows:
            by.append({"how": how, "values": len(rows), "records": sum(row.count for row in rows)})
    unmatched = sorted(found.unmatched, key=lambda one: -one.count)
    if unmatched:
        by.append({"how": "unmatched", "values": len(unmatched), "records": sum(one.count for one in unmatched)})
    listed = []
    plain = [one for one in unmatched if len(one.value) <= LONGEST_VALUE]
    for place, one in enumerate(plain[:MOST_UNMATCHED]):
        near: list[Suggestion] = []
        if place < SUGGESTED:
            progress(0.6 + 0.3 * place / min(len(plain), SUGGESTED), "looking for candidates")
            near = one.suggestions if one.codes else taxonomy.lexicon.suggest(one.value, NEAR)
        candidates = [{"concept": s.concept, "label": s.label, "score": s.score} for s in near]
        listed.append({"value": one.value, "records": one.count, "near": candidates})
    matched = [
        {
            "value": short(row.value, LONGEST_VALUE),
            "concept": row.concept,
            "label": taxonomy.label(row.concept),
            "how": row.how,
            "score": row.score,
            "records": row.count,
            "others": list(row.others),
        }
        for row in sorted(found.rows, key=lambda row: (-len(row.others), -row.count))[:MOST_LISTED]
    ]
    return {
        "column": column,
        "taxonomy": _named(attribute),
        "name": taxonomy.name,
        "concepts": len(taxonomy),
        "values": len(tally),
        "records": sum(tally.values()),
        "missing": missing,
        "by": by,
        "matched": matched,
        "unmatched": listed,
        "unmatched_values": len(unmatched),
        "unmatched_records": sum(one.count for one in unmatched),
        "notes": [*taxonomy.notes, *found.notes, *_too_long(len(unmatched) - len(plain))],
    }


def _too_long(values: int) -> list[str]:
    if not values:
        return []
    has = "has" if values == 1 else "have"
    said = f"{counted(values, 'value')} without a concept {has} more than {LONGEST_VALUE:,} characters"
    return [f"{said} and cannot be repaired here: correct the file, or choose no taxonomy"]


def _named(attribute: ConceptAttribute) -> str:
    named = str(attribute.named_taxonomy)
    return named if named in list_taxonomies() else named.replace("\\", "/").rpartition("/")[2]


def tree_table(taxonomy: Taxonomy, found: Matching) -> pl.DataFrame:
    """A row for each link of a concept to one above it: codes, label, children, records at or below it, and its terms folded.

    The root has no parent. Rows stand in the order of their parents, so that few blocks hold the children of one.
    """
    weight = np.zeros(len(taxonomy))
    for row in found.rows:
        weight[taxonomy.position(row.concept)] += row.count
    below = np.rint(taxonomy.dag.descendant_sums(weight)).astype(np.int64)
    dag, concepts = taxonomy.dag, taxonomy.concepts
    parents = dag.parents
    child = np.repeat(np.arange(len(taxonomy)), parents.lengths())
    order = np.argsort(parents.index, kind="stable")
    child, parent = np.append(dag.root, child[order]), np.append(-1, parents.index[order])
    terms = [fold(" ".join((concepts[i], *taxonomy.terms(i)))) for i in range(len(taxonomy))]
    labels = [taxonomy.label(concept) for concept in concepts]
    codes = pl.Series("code", list(concepts), dtype=pl.String)
    return pl.DataFrame(
        {
            "parent": pl.Series(parent.astype(np.int32)),
            "position": pl.Series(child.astype(np.int32)),
            "code": codes.gather(child),
            "label": pl.Series(labels, dtype=pl.String).gather(child),
            "children": pl.Series(dag.children.lengths()[child].astype(np.int32)),
            "records": pl.Series(below[child]),
            "terms": pl.Series(terms, dtype=pl.String).gather(child),
        }
    )
