"""``Severity``: a definition of severity, its file, the numbers it gives, and tables of them."""

from __future__ import annotations

from functools import partial
from importlib import resources
from pathlib import Path
from typing import ClassVar

import polars as pl

from ontomask.arguments import as_path, one_of
from ontomask.files.writing import write_text
from ontomask.severity.file import definition_text, names_files, read_definition
from ontomask.severity.tables import SeverityTables


class Severity(SeverityTables):
    """How severe it is if others learn a value, by the special values sets of an institution.

    For the middle class types m = 1, 2, 3 (length of life, quality of life, human rights) the severity number of a value
    v is (S18 def. 1)

    - n1 + N if v is in n1 > 0 sets of large class 1, whatever m;
    - otherwise the number of sets of middle class 2.m that hold v.

    N is the largest number that the second rule can give to any value, in a table or not. A record has the largest number
    of its values. Numbers come as arrays of three rows, one for each m; a number without m is the largest of the three.

    Read a file with :meth:`load`; :meth:`example` gives a shipped one.

    >>> import ontomask as om
    >>> severity = om.Severity.example()
    >>> severity.of_values("disease", ["cancer of the liver", "Alzheimer's disease", "hay fever"])
    array([[3., 4., 0.],
           [0., 4., 0.],
           [0., 4., 0.]])
    """

    #: Shipped definitions, with the data that go with each.
    EXAMPLES: ClassVar[dict[str, str]] = {
        "japan": "patients in Japan in 2014 by disease group (S18 Tables 3 and 4)",
        "demo": "an illustration over ICD-9-CM, for om.demo_data",
    }

    @classmethod
    def load(cls, path: str | Path) -> Severity:
        """Read a definition from the YAML file ``path``. Taxonomies and mappings that it names are looked for beside it."""
        definition, text, lines = read_definition(path)
        return cls(definition, path=Path(path), text=text, lines=lines)

    @classmethod
    def example(cls, name: str = "japan") -> Severity:
        """A shipped definition by ``name``: ``japan`` (S18 section 5) or ``demo`` (for ``demo_data``; an illustration)."""
        return cls.load(cls.example_file(name))

    @classmethod
    def example_file(cls, name: str = "japan") -> Path:
        """The file of the shipped definition ``name``, to begin one's own from."""
        one_of(name, cls.EXAMPLES, "example")
        return Path(str(resources.files("ontomask.severity").joinpath("data", f"{name}.yaml")))

    @classmethod
    def example_data(cls) -> pl.DataFrame:
        """The inputs of S18 Table 3: patients (in thousands) by disease group and facility, and survival rates."""
        return pl.read_csv(cls.example_file("japan").with_name("japan_patients.csv"))

    def save(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the definition as a file: as it was written where it was read from one, with its comments.

        Parameters
        ----------
        path : path
            The file.
        overwrite : bool, default False
            Replace a file that exists.

        Returns
        -------
        Path
            The file.

        Notes
        -----
        Files that it names are looked for beside it, so a definition that names some is written anew, with their whole paths.
        A taxonomy that exists in Python only is written beside it.
        """
        file = as_path(path)
        text = self._text
        if text is None or names_files(self.definition):
            text = definition_text(self.definition, file)
        return write_text(text, file, overwrite=overwrite)

    def __repr__(self) -> str:
        return f"<Severity {self.definition.title!r}: {len(self.sets)} sets, numbers 0 to {self.largest}>"

    def __eq__(self, other: object) -> bool:
        return self.definition == other.definition if isinstance(other, Severity) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.definition.title, len(self.sets)))

    def __reduce__(self) -> tuple[object, ...]:
        # What is computed can be computed again.
        return partial(Severity, path=self.path), (self.definition,)
