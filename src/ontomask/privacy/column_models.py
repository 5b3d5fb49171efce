"""Models of columns: statements on the name and the values of each column by itself, whatever its role."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from ontomask.direct_identifiers.cells import Cells
from ontomask.privacy.examined import Examined
from ontomask.privacy.models import Finding, Model


class ColumnModel(Model):
    """A model that looks at every column by itself, at its name and at its different values; it counts nothing."""

    counts: ClassVar[bool] = False

    def check(self, data: Any, quasi: Sequence[str] = (), attributes: Mapping[str, Any] | None = None) -> Finding:
        """Look at all columns of a frame or file, whatever their roles."""
        return super().check(data, quasi, attributes)

    @abstractmethod
    def check_columns(self, columns: Iterable[Cells], attributes: Mapping[str, Any]) -> Finding:
        """What is found in all columns of a table."""

    def check_table(self, table: Examined, reference: Examined | None = None) -> Finding:
        columns = (Cells.of(column, table.units.counts) for column in table.data.iter_columns())
        found = self.check_columns(columns, table.attributes)
        every = table.units.records(np.ones(len(table), dtype=np.bool_))
        if found.records is None and every in found.violations["records"]:
            return replace(found, records=every)  # all of them fail in one column
        return found
