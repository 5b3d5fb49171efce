"""``Reportable``: what a report needs of a result, as a protocol."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ontomask.masking.method import Masked
from ontomask.policy.policy import Policy
from ontomask.policy.prepared import Prepared
from ontomask.policy.verification import Verification
from ontomask.privacy.diagnostics import Diagnostics
from ontomask.statements import Statement
from ontomask.wording import Counts

if TYPE_CHECKING:
    from ontomask.assessment.outcome import Assessment


class Reportable(Protocol):
    """A result as its report sees it. It is a protocol, because results write reports: they are above this package."""

    @property
    def policy(self) -> Policy: ...
    @property
    def data(self) -> Any: ...
    @property
    def prepared(self) -> Prepared: ...
    @property
    def masked(self) -> Masked: ...
    @property
    def verification(self) -> Verification: ...
    @property
    def assessment(self) -> Assessment: ...
    @property
    def records(self) -> NDArray[np.int64]: ...
    @property
    def notes(self) -> list[Statement]: ...
    @property
    def parts(self) -> Sequence[Reportable]: ...
    @property
    def guarantees(self) -> list[Statement]: ...
    @property
    def public_guarantees(self) -> list[Statement]: ...
    @property
    def caveats(self) -> list[Statement]: ...
    @property
    def counts(self) -> Counts: ...
    @property
    def promises(self) -> bool: ...
    @property
    def reproducible(self) -> bool: ...
    @property
    def seed(self) -> int | None: ...
    def require_unchanged(self) -> None: ...
    @property
    def diagnostics(self) -> Diagnostics | None: ...
