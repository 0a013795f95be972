"""Where every claim stands, as a script: an address of a claim, or of a part, that has moved leads to its new page.

`book/_static/hdp-page.js` asks for it only where an address names a place that the page does not have.
"""

import json

from hdpbook.rows import load
from hdpbook.site import carry

MOVED = {  # labels that are no claims
    "limits-map": "synthesis/fifteen-limits",
    "hdp-arrows": "synthesis/fifteen-limits",
    "from-a-file-to-an-answer": "synthesis/from-file-to-answer",
    "which-estimator-people": "synthesis/from-file-to-answer",
}


def write_places(app, folder):
    """Write the page of every claim's label, and of the others that have moved."""
    places = MOVED | {row["id"]: row["page"] for row in load(app.srcdir)["claims"]}
    (folder / "places.js").write_text(f"window.hdpPlaces = {json.dumps(places)};\n", encoding="utf-8")


def setup(app):
    carry(app, "places", write_places)
