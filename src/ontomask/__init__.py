"""ontomask: anonymize microdata by meaning.

The public names, nothing else. Each is loaded when it is first used, so that importing the package is cheap.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ontomask import errors as errors
    from ontomask.assessment.assess import assess as assess
    from ontomask.assessment.clustering import clustering_distance as clustering_distance
    from ontomask.assessment.disclosure import Disclosure as Disclosure
    from ontomask.assessment.disclosure import attribute_disclosure as attribute_disclosure
    from ontomask.assessment.linkage import record_linkage as record_linkage
    from ontomask.assessment.loss import Loss as Loss
    from ontomask.assessment.loss import information_loss as information_loss
    from ontomask.assessment.outcome import Assessment as Assessment
    from ontomask.assessment.preservation import Preservation as Preservation
    from ontomask.assessment.preservation import preservation as preservation
    from ontomask.assessment.risk import Risk as Risk
    from ontomask.assessment.risk import disclosure_risk as disclosure_risk
    from ontomask.assessment.several import Combined as Combined
    from ontomask.assessment.several import combine_estimates as combine_estimates
    from ontomask.comparison.compare import compare as compare
    from ontomask.comparison.grid import grid as grid
    from ontomask.comparison.outcome import Comparison as Comparison
    from ontomask.demo.stays import DEMO_NOTICE as DEMO_NOTICE
    from ontomask.demo.stays import demo_data as demo_data
    from ontomask.demo.stays import demo_policy as demo_policy
    from ontomask.distances.information_content import information_content as information_content
    from ontomask.distances.measure import Measure as Measure
    from ontomask.distances.measures import get_measure as get_measure
    from ontomask.distances.measures import list_measures as list_measures
    from ontomask.distances.measures import register_measure as register_measure
    from ontomask.distances.measures import unregister_measure as unregister_measure
    from ontomask.distances.tables import distance as distance
    from ontomask.distances.tables import distance_matrix as distance_matrix
    from ontomask.distances.tables import similarity as similarity
    from ontomask.distances.tables import similarity_matrix as similarity_matrix
    from ontomask.engines.memory import anonymize as anonymize
    from ontomask.hierarchies.intervals import Intervals as Intervals
    from ontomask.hierarchies.kinds import MaskedText as MaskedText
    from ontomask.hierarchies.levels_file import LevelsFile as LevelsFile
    from ontomask.hierarchies.taxonomy_levels import TaxonomyLevels as TaxonomyLevels
    from ontomask.kinds.flat import Flat as Flat
    from ontomask.kinds.nominal import Nominal as Nominal
    from ontomask.kinds.numeric import Numeric as Numeric
    from ontomask.kinds.ordinal import Ordinal as Ordinal
    from ontomask.masking.generalization import Generalization as Generalization
    from ontomask.masking.imputation import Imputation as Imputation
    from ontomask.masking.microaggregation import Microaggregation as Microaggregation
    from ontomask.masking.noise_addition import NoiseAddition as NoiseAddition
    from ontomask.masking.pram import PRAM as PRAM
    from ontomask.masking.profile_microaggregation import ProfileMicroaggregation as ProfileMicroaggregation
    from ontomask.masking.rank_swapping import RankSwapping as RankSwapping
    from ontomask.masking.recoding import Recoding as Recoding
    from ontomask.masking.resampling import Resampling as Resampling
    from ontomask.masking.shuffling import Shuffling as Shuffling
    from ontomask.masking.suppression import Suppression as Suppression
    from ontomask.microdata.attributes import Identifier as Identifier
    from ontomask.microdata.pseudonyms import pseudonyms as pseudonyms
    from ontomask.microdata.reading import read_table as read_table
    from ontomask.microdata.reading_options import Reading as Reading
    from ontomask.microdata.writing import write_table as write_table
    from ontomask.operators.records import central_record as central_record
    from ontomask.operators.records import record_distances as record_distances
    from ontomask.operators.records import sort_records as sort_records
    from ontomask.operators.references import sort_values as sort_values
    from ontomask.operators.references import weighted_distances as weighted_distances
    from ontomask.operators.references import weighted_record_distances as weighted_record_distances
    from ontomask.policy.policy import Policy as Policy
    from ontomask.policy.verification import Verification as Verification
    from ontomask.privacy.k_anonymity import KAnonymity as KAnonymity
    from ontomask.privacy.km_anonymity import KmAnonymity as KmAnonymity
    from ontomask.privacy.l_diversity import LDiversity as LDiversity
    from ontomask.privacy.probabilistic import ProbabilisticKAnonymity as ProbabilisticKAnonymity
    from ontomask.privacy.profile_anonymity import ProfileAnonymity as ProfileAnonymity
    from ontomask.privacy.severity_closeness import SeverityCloseness as SeverityCloseness
    from ontomask.privacy.severity_diversity import SeverityDiversity as SeverityDiversity
    from ontomask.privacy.t_closeness import TCloseness as TCloseness
    from ontomask.profiling.outcome import Profile as Profile
    from ontomask.profiling.profile import profile as profile
    from ontomask.release.check import Check as Check
    from ontomask.release.check import check as check
    from ontomask.release.result import Result as Result
    from ontomask.release.result_folder import verify_result as verify_result
    from ontomask.release.verify import verify as verify
    from ontomask.report.page import write_report as write_report
    from ontomask.severity.classes import riopsi as riopsi
    from ontomask.severity.severity import Severity as Severity
    from ontomask.statistics.centroids import centroid as centroid
    from ontomask.statistics.dependence import distance_correlation as distance_correlation
    from ontomask.statistics.dependence import distance_covariance as distance_covariance
    from ontomask.statistics.dependence import distance_variance as distance_variance
    from ontomask.statistics.marginality import marginality as marginality
    from ontomask.statistics.marginality import marginality_covariance as marginality_covariance
    from ontomask.statistics.marginality import marginality_mean as marginality_mean
    from ontomask.statistics.marginality import marginality_variance as marginality_variance
    from ontomask.taxonomy.catalog import list_taxonomies as list_taxonomies
    from ontomask.taxonomy.catalog import load_taxonomy as load_taxonomy
    from ontomask.taxonomy.join import join_taxonomies as join_taxonomies
    from ontomask.taxonomy.match_result import Matching as Matching
    from ontomask.taxonomy.matching import match as match
    from ontomask.taxonomy.readers import read_taxonomy as read_taxonomy
    from ontomask.taxonomy.taxonomy import Taxonomy as Taxonomy
    from ontomask.taxonomy.writing import write_taxonomy as write_taxonomy

__version__ = "0.1.0"

_HOME = {
    "Assessment": "assessment.outcome",
    "Check": "release.check",
    "Combined": "assessment.several",
    "Comparison": "comparison.outcome",
    "DEMO_NOTICE": "demo.stays",
    "Disclosure": "assessment.disclosure",
    "Flat": "kinds.flat",
    "Generalization": "masking.generalization",
    "Identifier": "microdata.attributes",
    "Imputation": "masking.imputation",
    "Intervals": "hierarchies.intervals",
    "KAnonymity": "privacy.k_anonymity",
    "KmAnonymity": "privacy.km_anonymity",
    "LDiversity": "privacy.l_diversity",
    "LevelsFile": "hierarchies.levels_file",
    "Loss": "assessment.loss",
    "MaskedText": "hierarchies.kinds",
    "Matching": "taxonomy.match_result",
    "Measure": "distances.measure",
    "Microaggregation": "masking.microaggregation",
    "NoiseAddition": "masking.noise_addition",
    "Nominal": "kinds.nominal",
    "Numeric": "kinds.numeric",
    "Ordinal": "kinds.ordinal",
    "PRAM": "masking.pram",
    "ProfileMicroaggregation": "masking.profile_microaggregation",
    "Policy": "policy.policy",
    "Preservation": "assessment.preservation",
    "ProbabilisticKAnonymity": "privacy.probabilistic",
    "ProfileAnonymity": "privacy.profile_anonymity",
    "Profile": "profiling.outcome",
    "RankSwapping": "masking.rank_swapping",
    "Reading": "microdata.reading_options",
    "Recoding": "masking.recoding",
    "Resampling": "masking.resampling",
    "Result": "release.result",
    "Risk": "assessment.risk",
    "Severity": "severity.severity",
    "SeverityCloseness": "privacy.severity_closeness",
    "SeverityDiversity": "privacy.severity_diversity",
    "Shuffling": "masking.shuffling",
    "Suppression": "masking.suppression",
    "TCloseness": "privacy.t_closeness",
    "Taxonomy": "taxonomy.taxonomy",
    "TaxonomyLevels": "hierarchies.taxonomy_levels",
    "Verification": "policy.verification",
    "anonymize": "engines.memory",
    "assess": "assessment.assess",
    "attribute_disclosure": "assessment.disclosure",
    "central_record": "operators.records",
    "centroid": "statistics.centroids",
    "check": "release.check",
    "clustering_distance": "assessment.clustering",
    "combine_estimates": "assessment.several",
    "compare": "comparison.compare",
    "demo_data": "demo.stays",
    "demo_policy": "demo.stays",
    "disclosure_risk": "assessment.risk",
    "distance": "distances.tables",
    "distance_correlation": "statistics.dependence",
    "distance_covariance": "statistics.dependence",
    "distance_matrix": "distances.tables",
    "distance_variance": "statistics.dependence",
    "get_measure": "distances.measures",
    "grid": "comparison.grid",
    "information_content": "distances.information_content",
    "information_loss": "assessment.loss",
    "join_taxonomies": "taxonomy.join",
    "list_measures": "distances.measures",
    "list_taxonomies": "taxonomy.catalog",
    "load_taxonomy": "taxonomy.catalog",
    "marginality": "statistics.marginality",
    "marginality_covariance": "statistics.marginality",
    "marginality_mean": "statistics.marginality",
    "marginality_variance": "statistics.marginality",
    "match": "taxonomy.matching",
    "preservation": "assessment.preservation",
    "profile": "profiling.profile",
    "pseudonyms": "microdata.pseudonyms",
    "read_table": "microdata.reading",
    "read_taxonomy": "taxonomy.readers",
    "record_distances": "operators.records",
    "record_linkage": "assessment.linkage",
    "register_measure": "distances.measures",
    "riopsi": "severity.classes",
    "similarity": "distances.tables",
    "similarity_matrix": "distances.tables",
    "sort_records": "operators.records",
    "sort_values": "operators.references",
    "unregister_measure": "distances.measures",
    "verify": "release.verify",
    "verify_result": "release.result_folder",
    "weighted_distances": "operators.references",
    "weighted_record_distances": "operators.references",
    "write_report": "report.page",
    "write_table": "microdata.writing",
    "write_taxonomy": "taxonomy.writing",
}

__all__ = ["__version__", "errors", *_HOME]


if not TYPE_CHECKING:  # a checker is to find names that do not exist

    def __getattr__(name: str) -> Any:
        if name == "errors":
            return import_module("ontomask.errors")
        if name not in _HOME:
            raise AttributeError(f"module 'ontomask' has no attribute {name!r}")
        value = getattr(import_module(f"ontomask.{_HOME[name]}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(__all__)
