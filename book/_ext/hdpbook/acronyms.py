"""Say what an acronym stands for: on hover everywhere in the text, as `<abbr>`."""

import re

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

MEANING = {
    "ADPM": "affine differentially private mean, Algorithm 1 of Chaudhuri & Courtade",
    "PropDPM": "proportional DP: weights proportional to the budgets",
    "LDPE": "local differentially private estimator: noise is added to the mean of each group",
    "SM": "sampling mechanism: users are kept with a probability that depends on their budget",
    "FME": "the method of Fallah, Makhdoumi, Malekian and Ozdaglar (2022), as Chaudhuri & Courtade compare with it",
    "UNI": "uniform: the strictest budget is enforced for all",
    "TCM": "trusted-curator model: the server sees the data and adds the noise",
    "LM": "local model: every user adds noise before she sends her value",
    "KVH": "known-variance hybrid estimator",
    "PWH": "privacy-weighted hybrid estimator",
}
WORD = re.compile(rf"\b({'|'.join(MEANING)})\b")
NOT_IN = (nodes.literal, nodes.literal_block, nodes.title, nodes.reference, nodes.abbreviation, nodes.math, nodes.raw)


class Acronyms(SphinxPostTransform):
    """Wrap every acronym of the text."""

    default_priority = 700
    formats = ("html",)

    def run(self, **kwargs):
        """Change the resolved document."""
        for text in list(self.document.findall(nodes.Text)):
            if WORD.search(text) and not self.inside(text):
                words = filter(None, WORD.split(text.astext()))
                text.parent.replace(text, [self.part(word) for word in words])

    def inside(self, node):
        """Whether the text belongs to code, a heading, a link or a formula."""
        while (node := node.parent) is not None:
            if isinstance(node, NOT_IN):
                return True
        return False

    def part(self, word):
        """An acronym, or the text between two of them."""
        if word in MEANING:
            return nodes.abbreviation(word, word, explanation=MEANING[word])
        return nodes.Text(word)


def setup(app):
    app.add_post_transform(Acronyms)
