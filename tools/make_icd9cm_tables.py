"""Make the two compact ICD-9-CM tables that the package ships.

    python tools/make_icd9cm_tables.py ../shared/data/taxonomies

A table is UTF-8 text under xz: comment lines on its origin, then one line per concept in preorder, its fields
separated by tabs: depth (root 0), code, label, and the abbreviated title where it says something else.
"""

from __future__ import annotations

import csv
import lzma
import sys
from collections.abc import Iterator
from pathlib import Path

DATA = Path(__file__).parent.parent / "src" / "ontomask" / "taxonomy" / "data"
ORIGIN = """\
# ICD-9-CM, fiscal year 2015 (version 32), {what}.
# Codes and titles: Centers for Medicare & Medicaid Services and National Center for Health Statistics.
# A work of the United States government, in the public domain.
# {how}
"""

CHAPTERS = {
    "01-05": "Operations on the nervous system",
    "06-07": "Operations on the endocrine system",
    "08-16": "Operations on the eye",
    "18-20": "Operations on the ear",
    "21-29": "Operations on the nose, mouth and pharynx",
    "30-34": "Operations on the respiratory system",
    "35-39": "Operations on the cardiovascular system",
    "40-41": "Operations on the hemic and lymphatic system",
    "42-54": "Operations on the digestive system",
    "55-59": "Operations on the urinary system",
    "60-64": "Operations on the male genital organs",
    "65-71": "Operations on the female genital organs",
    "72-75": "Obstetrical procedures",
    "76-84": "Operations on the musculoskeletal system",
    "85-86": "Operations on the integumentary system",
    "87-99": "Miscellaneous diagnostic and therapeutic procedures",
}
CATEGORIES = dict(
    line.split(" ", 1)
    for line in """\
00 Procedures and interventions, not elsewhere classified
01 Incision and excision of skull, brain, and cerebral meninges
02 Other operations on skull, brain, and cerebral meninges
03 Operations on spinal cord and spinal canal structures
04 Operations on cranial and peripheral nerves
05 Operations on sympathetic nerves or ganglia
06 Operations on thyroid and parathyroid glands
07 Operations on other endocrine glands
08 Operations on eyelids
09 Operations on lacrimal system
10 Operations on conjunctiva
11 Operations on cornea
12 Operations on iris, ciliary body, sclera, and anterior chamber
13 Operations on lens
14 Operations on retina, choroid, vitreous, and posterior chamber
15 Operations on extraocular muscles
16 Operations on orbit and eyeball
17 Other miscellaneous diagnostic and therapeutic procedures
18 Operations on external ear
19 Reconstructive operations on middle ear
20 Other operations on middle and inner ear
21 Operations on nose
22 Operations on nasal sinuses
23 Removal and restoration of teeth
24 Other operations on teeth, gums, and alveoli
25 Operations on tongue
26 Operations on salivary glands and ducts
27 Other operations on mouth and face
28 Operations on tonsils and adenoids
29 Operations on pharynx
30 Excision of larynx
31 Other operations on larynx and trachea
32 Excision of lung and bronchus
33 Other operations on lung and bronchus
34 Operations on chest wall, pleura, mediastinum, and diaphragm
35 Operations on valves and septa of heart
36 Operations on vessels of heart
37 Other operations on heart and pericardium
38 Incision, excision, and occlusion of vessels
39 Other operations on vessels
40 Operations on lymphatic system
41 Operations on bone marrow and spleen
42 Operations on esophagus
43 Incision and excision of stomach
44 Other operations on stomach
45 Incision, excision, and anastomosis of intestine
46 Other operations on intestine
47 Operations on appendix
48 Operations on rectum, rectosigmoid, and perirectal tissue
49 Operations on anus
50 Operations on liver
51 Operations on gallbladder and biliary tract
52 Operations on pancreas
53 Repair of hernia
54 Other operations on abdominal region
55 Operations on kidney
56 Operations on ureter
57 Operations on urinary bladder
58 Operations on urethra
59 Other operations on urinary tract
60 Operations on prostate and seminal vesicles
61 Operations on scrotum and tunica vaginalis
62 Operations on testes
63 Operations on spermatic cord, epididymis, and vas deferens
64 Operations on penis
65 Operations on ovary
66 Operations on fallopian tubes
67 Operations on cervix
68 Other incision and excision of uterus
69 Other operations on uterus and supporting structures
70 Operations on vagina and cul-de-sac
71 Operations on vulva and perineum
72 Forceps, vacuum, and breech delivery
73 Other procedures inducing or assisting delivery
74 Cesarean section and removal of fetus
75 Other obstetric operations
76 Operations on facial bones and joints
77 Incision, excision, and division of other bones
78 Other operations on bones, except facial bones
79 Reduction of fracture and dislocation
80 Incision and excision of joint structures
81 Repair and plastic operations on joint structures
82 Operations on muscle, tendon, and fascia of hand
83 Operations on muscle, tendon, fascia, and bursa, except hand
84 Other procedures on musculoskeletal system
85 Operations on the breast
86 Operations on skin and subcutaneous tissue
87 Diagnostic radiology
88 Other diagnostic radiology and related techniques
89 Interview, evaluation, consultation, and examination
90 Microscopic examination, part one
91 Microscopic examination, part two
92 Nuclear medicine
93 Physical therapy, respiratory therapy, rehabilitation, and related procedures
94 Procedures related to the psyche
95 Ophthalmologic and otologic diagnosis and treatment
96 Nonoperative intubation and irrigation
97 Replacement and removal of therapeutic appliances
98 Nonoperative removal of foreign body or calculus
99 Other nonoperative procedures""".split("\n")
)


def diagnoses(path: Path) -> Iterator[str]:
    depth: dict[str, int] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            code, short, long = row["code"], row["short_desc"].strip(), row["long_desc"].strip()
            depth[code] = depth[row["parent"]] + 1 if row["parent"] else 0
            if depth[code] == 0:
                short = "All diagnoses and factors"
            # The dot stands after the category: three characters, four in the external causes (E850.1).
            width = 4 if code[0] == "E" else 3
            if "-" not in code and depth[code] and len(code) > width:
                code = f"{code[:width]}.{code[width:]}"
            fields = [str(depth[row["code"]]), code, long or short]
            if long and long != short:
                fields.append(short)
            yield "\t".join(fields)


def procedures(path: Path) -> Iterator[str]:
    titles = dict(line.rstrip("\n").split(" ", 1) for line in path.open(encoding="latin-1"))
    chapter_of = {}
    for chapter in CHAPTERS:
        low, high = map(int, chapter.split("-"))
        chapter_of.update({f"{c:02d}": chapter for c in range(low, high + 1)})
    yield "0\tROOT\tAll procedures"
    shown = set()
    for category in sorted({code[:2] for code in titles}):
        chapter = chapter_of.get(category)  # 00 and 17 are chapters of one category
        depth = 1
        if chapter:
            if chapter not in shown:
                shown.add(chapter)
                yield f"1\t{chapter}\t{CHAPTERS[chapter]}"
            depth = 2
        yield f"{depth}\t{category}\t{CATEGORIES[category]}"
        codes = sorted(code for code in titles if code[:2] == category)
        for group in sorted({code[:3] for code in codes}):
            below = [code for code in codes if code[:3] == group and len(code) == 4]
            label = titles.get(group, f"{CATEGORIES[category]} ({category}.{group[2]})")
            yield f"{depth + 1}\t{category}.{group[2]}\t{label.strip()}"
            for code in below:
                yield f"{depth + 2}\t{category}.{code[2:]}\t{titles[code].strip()}"


def write(name: str, what: str, how: str, lines: Iterator[str]) -> None:
    text = ORIGIN.format(what=what, how=how) + "\n".join(lines) + "\n"
    path = DATA / f"{name}.tsv.xz"
    path.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))
    print(f"{path.name}: {text.count(chr(10)) - 4:,} concepts, {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    write(
        "icd9cm",
        "diagnoses",
        "Chapters, blocks, categories and codes, parents as in the classification.",
        diagnoses(folder / "icd9cm_2015_dx_tree.csv"),
    )
    write(
        "icd9cm_procedures",
        "procedures",
        "Chapters and categories of volume 3; below them the tree follows the prefixes of the codes.",
        procedures(folder / "icd9cm_2015_procedures.txt"),
    )
