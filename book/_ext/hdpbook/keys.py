"""By what one may ask for a claim: numbers as texts print them, read into keys such as `equation 57`.

The search page's script reads what is typed in the same way, with the words given here, and only compares keys.
"""

import re

from hdpbook.rows import OWN, conference_number, paper_entry

# Each kind, and how else it is written; a point behind it counts for nothing.
KINDS = {
    "algorithm": "algorithms alg algs algo algos",
    "appendix": "appendices app apps appx",
    "claim": "claims",
    "corollary": "corollaries cor cors corr coro",
    "definition": "definitions def defs defn defns",
    "equation": "equations eq eqs eqn eqns",
    "example": "examples ex exs exm",
    "figure": "figures fig figs",
    "footnote": "footnotes fn",
    "lemma": "lemmas lemmata lem lems lemm",
    "line": "lines",
    "proposition": "propositions prop props",
    "remark": "remarks rem rems rmk rmks",
    "section": "sections sec secs sect sects §",
    "step": "steps",
    "table": "tables tab tabs tbl",
    "theorem": "theorems thm thms theo thrm",
}
WORDS = {word: kind for kind, words in KINDS.items() for word in (kind, *words.split())}
LISTED = {
    "algorithm",
    "figure",
    "table",
    "equation",
    "example",
}  # what may be one of a row's, and is then in its `covers`
LISTED |= {"claim", "corollary", "definition", "lemma", "proposition", "remark", "theorem"}
ROMAN = "i ii iii iv v vi vii viii ix x".split()
TOKEN = re.compile(r"§|[ivx]+-[a-z]\b|[a-z]\.\d+|\d+(?:\.\d+)*|[^\W\d_]+")
JOINING = {"and", "to", "introduction"}  # what may stand between two numbers of one row
# How the papers are called besides by their authors: where they appeared, of which one has other numbers there.
CALLED = {"cc": "isit conference", "adk": "popets pets", "cfmt": "neurips", OWN: "book companion"}


def numeral(kind, token):
    """A number as keys have it: in a section or table, `II-A` is `2a`."""
    roman, _, letter = token.partition("-")
    if kind in ("section", "table") and roman in ROMAN:
        return f"{ROMAN.index(roman) + 1}{letter}"
    return token if re.search(r"\d", token) or (kind == "appendix" and len(token) == 1) else ""


def between(first, last):
    """All numbers or letters from one to another, without the first: also from `4.1` to `4.3`, from `1a` to `1c`."""
    (head, low), (other, high) = (re.fullmatch(r"(.*?)(\d+|[a-z])", number).groups() for number in (first, last))
    if head != other or low.isdigit() != high.isdigit():
        return [last]
    if low.isdigit():
        return [f"{head}{number}" for number in range(int(low) + 1, int(high) + 1)]
    return [f"{head}{chr(code)}" for code in range(ord(low) + 1, ord(high) + 1)]


def read(text):
    """The keys that begin a name, and those mentioned behind another word: `Section 4`, `Figure 1` in its text."""
    named, mentioned = [], []
    found, kind, base, last, to = named, "", "", "", False
    for token in TOKEN.findall(text.lower()):
        if token in WORDS:
            kind, base = WORDS[token], ""
        elif to and base and token == base:  # `1a to 1c`
            continue
        elif kind and (number := numeral(kind, token)):
            found += [f"{kind} {each}" for each in (between(last, number) if to else [number])]
            base = last = number
        elif base and kind == "figure" and len(token) == 1:  # a panel
            found += [f"{kind} {base}{each}" for each in (between(last, token) if to else [token])]
            last = token
        elif token not in JOINING:
            found, kind = mentioned, ""
        to = token == "to"
    return named, mentioned


def all_keys(texts):
    """The keys of several names."""
    return [key for text in texts for key in read(text)[0]]


def keys(row, own=""):
    """What one may ask for a claim by, the nearest first.

    Its number; what it covers besides; the book's own number; those of the conference version; of what it is a part;
    what its name mentions.
    """
    named, mentioned = read(row["number"])
    if row["paper"] == OWN:  # what such a name says is an item of a paper
        return [[], [], all_keys([own]), [], [], named + mentioned]
    covered = all_keys(row.get("covers", ()))
    parts = [key for key in named if key.partition(" ")[0] in LISTED and key not in covered]
    own_number = [key for key in named if key not in parts]
    parts += [whole for key in own_number if (whole := re.sub(r"^(section \w+)(\.\d+|[a-z])$", r"\1", key)) != key]
    others = [key for key in covered if key not in named]
    return [own_number, others, all_keys([own]), all_keys(conference_number(row).split(", ")), parts, mentioned]


def naming(paper, source):
    """How one may name a paper: words (its authors, its tag and others), years, its title."""
    if paper == OWN:
        return {"words": [OWN, *CALLED[OWN].split()], "years": [], "title": ""}
    entry = paper_entry(paper, source)
    authors = [name.lower() for person in entry.persons["author"] for name in person.last_names]
    return {
        "words": [paper, *authors, entry.fields["eprint"], *CALLED.get(paper, "").split()],
        "years": sorted({entry.fields["year"], f"20{entry.fields['eprint'][:2]}"}),
        "title": entry.fields["title"],
    }
