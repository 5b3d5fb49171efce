"""Columns that say which person and which household a record belongs to: what a policy may name, and who belongs together."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from ontomask.arguments import PartError, did_you_mean
from ontomask.arrays import by_first_seen
from ontomask.microdata.pseudonyms import canonical_keys, known_keys
from ontomask.privacy.classes import classes_of
from ontomask.privacy.units import Units
from ontomask.wording import Unit


def require_listed(what: str, columns: Sequence[str], attributes: Mapping[str, Any]) -> None:
    """An error if the policy does not list the columns, names one twice, or would release all of them."""
    if len(set(columns)) < len(columns):
        raise PartError("a column is named twice", what)
    for name in columns:
        if name not in attributes:
            near = did_you_mean(name, attributes).rstrip()
            mend = f". {near}" if near else ": list it, with kind: identifier"
            raise PartError(f"{name!r} is not one of the attributes{mend}", what)
    if columns and not any(attributes[name].role == "identifier" for name in columns):
        raise PartError(
            f"{', '.join(columns)} would be released, and say which records belong together: give it kind: identifier, or "
            "keep: pseudonym where that is wanted",
            what,
        )


def require_persons(shifted: Collection[str], person: Sequence[str]) -> None:
    """An error if dates are to be shifted by person and nothing says whose a record is."""
    if shifted and not person:
        raise PartError(
            f"dates are shifted by person ({', '.join(shifted)}), and the policy does not say whose a record is: set person "
            "to the column that says it. If every record is another person, this is a column that numbers them",
            *("attributes", next(iter(shifted)), "shift"),
        )


def units_by_key(unit: Unit, data: pl.DataFrame, columns: Sequence[str]) -> Units:
    """Records by whom they belong to. Keys are compared as pseudonyms are made of them: "P1" and "P1 " are one person.

    Units are numbered as they are first seen: classes have numbers that depend on what the process did before.
    """
    return Units(unit, by_first_seen(classes_of(known_keys(data, columns, unit), list(columns)).of))


def with_households(units: Units, data: pl.DataFrame, household: Sequence[str]) -> Units:
    """The units with their households, where the data say them."""
    if not household or any(name not in data.columns for name in household):
        return units
    keys = canonical_keys(data, household)
    found = classes_of(keys, list(household)).of
    unknown = keys.select(pl.any_horizontal(pl.all().is_null())).to_series().to_numpy()
    own = np.arange(len(data)) if units.of is None else units.of
    # Who has no household is one of its own.
    return replace(units, household=np.where(unknown, int(found.max(initial=0)) + 1 + own, found))
