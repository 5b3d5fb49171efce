"""Names of the files that tasks write beside their answers."""

from __future__ import annotations

#: Of a comparison: the policies of its candidates, and the map of risk and loss.
CANDIDATES, MAP = "candidates.json", "map.svg"
#: Of an opening: the policy as it was proposed.
PROPOSED = "proposed.yaml"
#: Of a match: the taxonomy as a table, a row for each link.
TREE = "tree.parquet"
#: Of a run: the records as they were and as they are released, and how far each is from what it was.
BEFORE, AFTER, ORDER = "before.parquet", "after.parquet", "order.parquet"
