"""Where every claim stands, as a script: an address of a claim that has moved to another page leads there.

`book/_static/hdp-page.js` asks for it only where an address names a place that the page does not have.
"""

import json
from pathlib import Path

from hdpbook.rows import load


def write_places(app):
    """Write the page of every claim's label."""
    if app.builder.format != "html":
        return
    folder = Path(app.outdir).parent / "places"
    folder.mkdir(parents=True, exist_ok=True)
    places = {row["id"]: row["page"] for row in load(app.srcdir)["claims"]}
    (folder / "places.js").write_text(f"window.hdpPlaces = {json.dumps(places)};\n", encoding="utf-8")
    app.config.html_static_path.append(str(folder))


def setup(app):
    """Register with Sphinx."""
    app.connect("builder-inited", write_places)
