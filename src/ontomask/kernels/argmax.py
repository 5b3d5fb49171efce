"""The place of the greatest and of the least value, the first of equals.

numba's own need SciPy, even where they are compiled already: loading it takes longer than most first calls.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.kernels.compiling import inner


@inner
def argmax(values: NDArray[Any]) -> int:
    place = np.int64(0)
    for i in range(1, values.size):
        if values[i] > values[place]:
            place = np.int64(i)
    return place


@inner
def argmin(values: NDArray[Any]) -> int:
    place = np.int64(0)
    for i in range(1, values.size):
        if values[i] < values[place]:
            place = np.int64(i)
    return place
