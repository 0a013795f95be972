"""What the sources of the pages refer to: the places of claims, and the references that stand at each of them.

A claim stands at a box, at an equation, or at a label before a heading or a paragraph.
Its *region* begins there and ends with the proof's mark, or before the next heading or the place of another claim.
Claims whose labels stand together, in one box or one under the other, share their region.
Code belongs to no region.
"""

import re
from dataclasses import dataclass, field

CODE = re.compile(r"^```\{code-cell\}.*?^```$", re.S | re.M)
BLOCK = re.compile(r"^(`{3,})\{[\w:-]+\}")  # a box, or an equation
LABEL = re.compile(r"^(?:\(([a-z0-9-]+)\)=|:label: ([a-z0-9-]+))$")
REFERENCE = re.compile(r"\{(?:prf:ref|eq|ref|numref)\}`(?:[^`<]*<)?([a-z0-9-]+)>?`|\]\([^)#\s]*#([a-z0-9-]+)\)")
END = "\\blacksquare"


@dataclass
class Region:
    """The claims of one place, all labels in its region, and what is referred to there."""

    claims: set = field(default_factory=set)
    labels: set = field(default_factory=set)
    references: set = field(default_factory=set)


def blocks(text):
    """The lines of a page without code: labels with what they are put to, a box or an equation with all its lines."""
    lines, block = iter(CODE.sub("", text).splitlines()), []
    for line in lines:
        block.append(line)
        if fence := BLOCK.match(line):
            for inner in lines:
                block.append(inner)
                if inner == fence[1]:
                    break
        if not line.startswith("(") or not LABEL.match(line):
            yield block
            block = []


def found(pattern, lines):
    """The first group that matched, of every match."""
    return {next(filter(None, match.groups())) for line in lines for match in pattern.finditer(line)}


def regions(text, claims):
    """The regions of a page, of which `claims` are the labels that are claims."""
    all_regions, here = [], None
    for block in blocks(text):
        labels = found(LABEL, block)
        if labels & claims:
            here = Region()
            all_regions.append(here)
        elif block[-1].startswith("#"):
            here = None
        if here is None:
            continue
        here.claims |= labels & claims
        here.labels |= labels
        here.references |= found(REFERENCE, block)
        if any(END in line for line in block):
            here = None
    return all_regions
