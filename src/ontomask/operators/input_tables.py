"""Input of the operators on whole records: the quasi-identifiers of a frame, encoded."""

from __future__ import annotations

from typing import Any, get_args

from ontomask.arguments import one_of
from ontomask.errors import OptionError
from ontomask.microdata.attributes import as_attributes
from ontomask.microdata.encoding import Table, apply_missing_rules, encode, require_columns
from ontomask.microdata.open_table import open_table, with_own_orders
from ontomask.operators.record_distance import Distance, Normalize


def table_of(frame: Any, attributes: Any) -> Table:
    """The quasi-identifiers of a frame, encoded; records cannot be dropped here."""
    listed = {n: a for n, a in as_attributes(getattr(attributes, "attributes", attributes)).items() if a.quasi}
    if not listed:
        raise OptionError(
            "no column is a quasi-identifier, so there is nothing to compare",
            remedy="Give at least one attribute with role='quasi', which is the default.",
        )
    opened = open_table(frame, listed)
    data, listed = opened.data, with_own_orders(listed, opened.native)
    require_columns(data, listed)
    for name, attribute in listed.items():
        if attribute.missing == "drop_record":
            listed[name] = attribute.model_copy(update={"missing": "error"})
    data, _ = apply_missing_rules(data, listed, listed, [])
    return encode(data, listed, list(listed))


def check_distance(distance: str, normalize: str) -> None:
    one_of(distance, get_args(Distance), "distance")
    one_of(normalize, get_args(Normalize), "normalization")
