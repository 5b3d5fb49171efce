"""Models of columns: statements on the name and the values of each column by itself, whatever its role."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from ontomask.direct_identifiers.cells import Cells
from ontomask.privacy.examined import Examined
from ontomask.privacy.models import Finding, Model
from ontomask.wording import capital


class ColumnModel(Model):
    """A model that looks at every column by itself, at its name and at its different values; it counts nothing."""

    counts: ClassVar[bool] = False
    remedy: ClassVar[str] = ""

    def check(self, data: Any, quasi: Sequence[str] = (), attributes: Mapping[str, Any] | None = None) -> Finding:
        """Look at all columns of a frame or file, whatever their roles."""
        return super().check(data, quasi, attributes)

    def sensitive_columns(self, attributes: Mapping[str, Any]) -> list[str]:
        """None: it is given every column, one by one."""
        return []

    @abstractmethod
    def check_columns(self, columns: Iterable[Cells], attributes: Mapping[str, Any]) -> Finding:
        """What is found in all columns of a table."""

    def check_table(self, table: Examined, reference: Examined | None = None) -> Finding:
        return self._check(table, table.data.columns)

    def check_original(self, table: Examined, masked: Collection[str]) -> Finding:
        """What is found in the columns that a run releases as they are; of the others nothing is known before masking."""
        open_columns = [name for name in table.data.columns if name in masked]
        found = self._check(table, [name for name in table.data.columns if name not in masked])
        if not open_columns:
            return found
        failing = [name for name in open_columns if not self._check(table, [name]).holds]
        as_they_are = f" (as they are, these fail: {', '.join(failing)})" if failing else ""
        later = f"checked after masking: {', '.join(open_columns)}{as_they_are}"
        parts = (*found.parts, later) if found.parts else ()
        return replace(found, holds=False, checked=not found.holds, text=f"{found.text}. {capital(later)}", parts=parts)

    def _check(self, table: Examined, names: Sequence[str]) -> Finding:
        columns = (Cells.of(table.data[name], table.units.counts) for name in names)
        found = self.check_columns(columns, table.attributes)
        every = table.units.records(np.ones(len(table), dtype=np.bool_))
        if found.records is None and every in found.violations["records"]:
            return replace(found, records=every)  # all of them fail in one column
        return found
