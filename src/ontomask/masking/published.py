"""Published methods of microaggregation: the settings that make them."""

from __future__ import annotations

from typing import Any

_PUBLISHED: dict[str, dict[str, Any]] = {
    "s_mdav": {"partition": "mdav", "measure": "logsc", "centroid": "semantic"},
    "sa_mdav": {"partition": "adaptive", "measure": "logsc", "centroid": "semantic", "comparison": "weighted"},
    "sa_mdav_static": {
        "partition": "adaptive_static",
        "measure": "logsc",
        "centroid": "semantic",
        "comparison": "weighted",
    },
    "abril": {
        "partition": "mdav",
        "measure": "wu_palmer",
        "measure_options": {"depth": "edges"},
        "centroid": "lcs",
    },
    "domingo_ferrer_torra": {"partition": "mdav", "measure": "equality", "centroid": "mode"},
    "marginality": {
        "partition": "mdav",
        "distance": "s",
        "normalize": "published",
        "measure": "logsc",
        "centroid": "marginality",
    },
    "classic": {
        "partition": "mdav",
        "distance": "s",
        "normalize": "published",
        "measure": "equality",
        "centroid": "mode",
    },
    "marginality_hybrid": {
        "partition": "mdav",
        "distance": "s",
        "normalize": "published",
        "measure": "logsc",
        "centroid": "marginality",
        "replace": "hybrid",
    },
    "micro_hybrid": {
        "partition": "mdav",
        "distance": "s",
        "normalize": "published",
        "measure": "weighted_edge",
        "centroid": "marginality",
        "replace": "hybrid",
    },
}
#: What they have in common, unless they say something else: distances are means, nothing is refined, all records are compared.
_COMMON: dict[str, Any] = {"distance": "mean", "refine": "none", "block_size": "exact"}
#: Settings of published methods.
PRESETS = {name: _COMMON | settings for name, settings in _PUBLISHED.items()}
