"""A frame or a file at the border: files are read as the attributes of their columns want it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ontomask.microdata.attributes import Identifier, Nominal, Ordinal
from ontomask.microdata.frames import Taken


def opened(frame: Any, attributes: Mapping[str, Any], text: Iterable[str] = ()) -> tuple[Any, Path | None, list[str]]:
    """A frame as it is; a path as the file's frame, the path, and how the file was read.

    Codes stay the text they are. ``text`` names more columns that are text.
    """
    if not isinstance(frame, (str, Path)):
        return frame, None, []
    from ontomask.microdata.reading import Codes, read_table

    path = Path(frame)
    file = read_table(path, text=Codes([*text, *(name for name, a in attributes.items() if _is_text(a))]))
    return file.data, path, [file.summary(), *file.notes]


def _is_text(attribute: Any) -> bool:
    """Must the column be read as text, though it may look like numbers?"""
    if isinstance(attribute, Ordinal):
        return attribute.order is not None and isinstance(attribute.order[0], str)
    return isinstance(attribute, (Nominal, Identifier))


def with_own_orders(attributes: Mapping[str, Any], taken: Taken) -> dict[str, Any]:
    """The attributes, the ordinal ones with the order that the frame itself gives their categories."""
    orders = taken.orders()
    return {
        name: attribute.changed(order=orders[name])
        if isinstance(attribute, Ordinal) and attribute.order is None and name in orders
        else attribute
        for name, attribute in attributes.items()
    }
