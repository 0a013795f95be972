"""Where every claim stands, as a script: an address of a claim, or of a part, that has moved leads to its new page.

`book/_static/hdp-page.js` asks for it only where an address names a place that the page does not have.
"""

import json
from pathlib import Path

from hdpbook.rows import load

MOVED = {  # labels that are no claims
    "limits-map": "synthesis/fifteen-limits",
    "hdp-arrows": "synthesis/fifteen-limits",
    "from-a-file-to-an-answer": "synthesis/from-file-to-answer",
    "which-estimator-people": "synthesis/from-file-to-answer",
}


def write_places(app):
    """Write the page of every claim's label, and of the others that have moved."""
    if app.builder.format != "html":
        return
    folder = Path(app.outdir).parent / "places"
    folder.mkdir(parents=True, exist_ok=True)
    places = MOVED | {row["id"]: row["page"] for row in load(app.srcdir)["claims"]}
    (folder / "places.js").write_text(f"window.hdpPlaces = {json.dumps(places)};\n", encoding="utf-8")
    app.config.html_static_path.append(str(folder))


def setup(app):
    """Register with Sphinx."""
    app.connect("builder-inited", write_places)
