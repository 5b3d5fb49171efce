"""Names for arrays, and when two figures count as equal."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Floats = NDArray[np.float64]
Longs = NDArray[np.int64]
Ints = NDArray[np.int32]
Flags = NDArray[np.bool_]

#: Figures closer than this, relatively, are equal: what is left is rounding. The first of them wins.
TIE = 1e-12
