"""The three commands that README and the page show, with what they print, on the table of salaries."""

import re
import shlex

import numpy as np
import pytest

from hdp.__main__ import main
from tests.files import ROOT

TABLE = ROOT / "book/synthesis/salaries.csv"
NOISY = re.compile(r'"(answer|noisy_sum|sampler|unclamped)":("[^"]*"|[-\d.e+]+)')


def drawn():
    """Who allows less earns more."""
    rng, lines = np.random.Generator(np.random.PCG64(2026)), []
    for tier, users, middle in (("low", 240, 52_000), ("high", 144, 46_000), ("public", 16, 44_000)):
        lines += [f"{tier},{middle + 60_000 * (u.mean() - 0.5):.0f}" for u in rng.random((users, 4))]
    order = np.argsort(rng.random(len(lines)))
    return "\n".join(["id,tier,salary", *(f"p{k:03},{lines[i]}" for k, i in enumerate(order, start=1)), ""])


def test_readme_shows_what_the_commands_print(tmp_path, monkeypatch, capsys):
    """To the letter, but for what noise decides, and OpenDP's version."""
    pytest.importorskip("opendp")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "salaries.csv").write_text(drawn(), encoding="utf-8")
    assert TABLE.read_text(encoding="utf-8") == drawn()
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.search(r"```console\n(\$ python -m hdp rank .*?)```", readme, re.DOTALL)[1]
    calls = re.findall(r"^\$ python -m hdp ((?:.*\\\n)*.*)\n((?:[^$].*\n)+)", shown, re.MULTILINE)
    assert [call.split()[0] for call, _ in calls] == ["rank", "plan", "release"]
    for call, printed in calls:
        assert main(shlex.split(call.replace("\\\n", ""))) == 0
        assert NOISY.sub(r'"\1"', capsys.readouterr().out) == NOISY.sub(r'"\1"', printed)
