"""Where every claim stands, as a script: an address of a claim that stands on another page leads there.

`book/_static/hdp-page.js` asks for it only where an address names a place that the page does not have.
"""

import json

from hdpbook.rows import load
from hdpbook.site import carry


def write_places(app, folder):
    """Write the page of every claim's label."""
    places = {row["id"]: row["page"] for row in load(app.srcdir)["claims"]}
    (folder / "places.js").write_text(f"window.hdpPlaces = {json.dumps(places)};\n", encoding="utf-8")


def setup(app):
    carry(app, "places", write_places)
