"""Previews as they are written: every link to an equation, a box or a bibliography entry has one, and a small one."""

import json
import re
from urllib.parse import urldefrag, urljoin
from xml.etree import ElementTree

import pytest
from hdpbook import previews

from tests.files import SITE, built_text

WRITTEN = re.compile(r"\(window\.hdpPreviews \?\?= \{\}\)\[(\".*?\")\] = (.*);\n", re.DOTALL)
LINK = re.compile(r'<a class="([^"]*\breference internal[^"]*)"[^>]*? href="([^"]*)#([^"]+)"')
BOX = re.compile(r'<div class="proof [^"]*" id="([^"]+)"')


def test_a_target_is_cut_out_whole_and_cleaned():
    html = (
        '<p>x</p><div class="proof" id="one"><p id="a">See <a href="#b">(1)</a><a class="headerlink" href="#c">#</a>'
        '</p><div class="math" id="equation-two">y</div><details class="cite"><pre>@misc</pre></details></div>'
        '<div id="no">z</div>'
    )
    found = previews.previews(html, {"one", "equation-two"})
    assert found == {
        "one": '<div class="proof"><p>See (1)</p><div class="math">y</div></div>',
        "equation-two": '<div class="math">y</div>',
    }
    with pytest.raises(ValueError, match="no end"):
        previews.element("<div><div></div>", 0)


@pytest.fixture(scope="module")
def written():
    """What the scripts of all pages hold."""
    found = {}
    for path in sorted((SITE / previews.FOLDER).rglob("*.js")):
        name, shown = WRITTEN.fullmatch(path.read_text(encoding="utf-8")).groups()
        assert path == SITE / previews.FOLDER / f"{json.loads(name)}.js"
        found[json.loads(name)] = json.loads(shown)
    assert len(found) > 5
    return found


def test_every_link_to_a_target_has_its_preview(written):
    pages = {name: built_text(name) for name in written}
    boxes = {(name, id) for name, text in pages.items() for id in BOX.findall(text)}
    marked = 0
    for name, text in pages.items():
        for classes, address, id in LINK.findall(text):
            page = urldefrag(urljoin(f"{name}.html", address)).url.removesuffix(".html")
            wanted = id.startswith("equation-") or (page, id) in boxes
            if previews.MARK in classes:
                assert id in written[page], f"{name}: {address}#{id}"
                marked += 1
            else:
                assert not wanted, f"{name}: {address}#{id}"
    assert marked > 30


def test_a_preview_can_be_put_anywhere(written):
    """Whole elements, without links, anchors, pictures or scripts."""
    for html in (html for shown in written.values() for html in shown.values()):
        for element in ElementTree.fromstring(html).iter():  # which asks that every element is closed
            assert "id" not in element.attrib and element.tag not in {"a", "img", "script", "button"}, html
