"""Print the book: execute what changed, write all pages as one LaTeX document, and run XeLaTeX on it.

The outputs of the cells come from the cache of `build.py`, so no chapter is executed twice.  What TeX only mentions
in its log, a letter that the font lacks or a reference that leads nowhere, fails the build here.
"""

import re
import shutil
import subprocess
import sys

import build

LATEX = build.BUILD / "latex"
DOCTREES = build.BUILD / ".doctrees-latex"
NAME = "hdp-book"

# What the document asks for, by the Debian package that brings it.
PROGRAMS = {"latexmk": "latexmk", "xelatex": "texlive-xetex", "kpsewhich": "texlive-xetex"}
NAMES = {
    "fonts-lmodern": "lmroman10-regular.otf",
    "texlive-fonts-recommended": "pzdr.tfm",
    "texlive-latex-base": "hyperref.sty longtable.sty report.cls",
    "texlive-latex-recommended": "booktabs.sty cmap.sty etoolbox.sty fancyvrb.sty float.sty fontspec.sty parskip.sty"
    " polyglossia.sty xcolor.sty",
    "texlive-pictures": "ellipse.sty pict2e.sty",
    "texlive-latex-extra": "capt-of.sty framed.sty needspace.sty tabulary.sty titlesec.sty upquote.sty varwidth.sty"
    " wrapfig.sty",
}
FILES = {name: package for package, names in NAMES.items() for name in names.split()}
ADVICE = """\
make pdf needs TeX, and this is missing here: {missing}.
On Debian or Ubuntu: sudo apt-get install --no-install-recommends {packages}
With TeX Live from elsewhere, tlmgr search --global --file <name> tells what to install."""

# What XeLaTeX writes into its log and goes on; a line of the log breaks after 79 characters.
FAULTS = ("Missing character: ", "LaTeX Font Warning: Font shape `")
FAULTS += tuple(f"LaTeX Warning: {kind} `" for kind in ("Reference", "Citation", "Hyper reference", "Label"))


def missing_tex():
    """Return what of PROGRAMS and FILES this machine does not have, as {name: Debian package}."""
    missing = {program: package for program, package in PROGRAMS.items() if not shutil.which(program)}
    found = ""
    if "kpsewhich" not in missing:
        found = subprocess.run(["kpsewhich", *FILES], capture_output=True, text=True, check=False).stdout
    names = {line.rpartition("/")[2] for line in found.splitlines()}
    return missing | {name: package for name, package in FILES.items() if name not in names}


def write_latex():
    """Write the book as LaTeX into LATEX, from the beginning, so that every warning returns; return the exit code."""
    from jupyter_book.sphinx import build_sphinx  # slow to import, and not needed to say what is missing

    for folder in (LATEX, DOCTREES):
        shutil.rmtree(folder, ignore_errors=True)
    toc = {"external_toc_path": (build.ROOT / "_toc.yml").as_posix(), "latex_individualpages": False}
    places = dict(path_config=build.ROOT / "_config.yml", confoverrides=toc, builder="latex", doctreedir=DOCTREES)
    strict = dict(noconfig=True, warningiserror=True, keep_going=True, quiet=True)
    result = build_sphinx(build.ROOT, LATEX, **places, **strict)
    return result if isinstance(result, int) else 1  # an exception, which Sphinx has reported


def run_tex():
    """Run XeLaTeX until the references are settled; return the exit code."""
    command = ["latexmk", "-xelatex", "-interaction=nonstopmode", "-halt-on-error", f"{NAME}.tex"]
    with (LATEX / "latexmk.out").open("w", encoding="utf-8") as output:
        return subprocess.run(command, cwd=LATEX, stdout=output, stderr=subprocess.STDOUT, check=False).returncode


def faults_of_log(log):
    """Return the errors in a log of XeLaTeX, each with the line of the document, and what is in FAULTS, once each."""
    errors = re.findall(r"^! .*?(?=^l\.\d+)^l\.\d+[^\n]*", log, flags=re.DOTALL | re.MULTILINE)
    warnings = [line for line in log.splitlines() if line.startswith(FAULTS)]
    return list(dict.fromkeys([" ".join(error.split()) for error in errors] + warnings))


def main():
    """Build the PDF; return the exit code."""
    if missing := missing_tex():
        packages = " ".join(sorted(set(missing.values())))
        print(ADVICE.format(missing=", ".join(missing), packages=packages), file=sys.stderr)
        return 1
    if code := build.main():
        return code
    print("Writing the book as LaTeX ...", flush=True)
    if code := write_latex():
        print("The PDF was NOT built: see the warnings above.", file=sys.stderr)
        return code
    print("Running XeLaTeX, three times or so ...", flush=True)
    code = run_tex()
    log = (LATEX / f"{NAME}.log").read_text(encoding="utf-8", errors="replace")
    faults = faults_of_log(log)
    if code or faults:
        print("The PDF is NOT good.", *faults, f"All of it is in {LATEX / NAME}.log.", sep="\n  ", file=sys.stderr)
        return code or 1
    print(f"The printed book is ready: {(LATEX / NAME).relative_to(build.ROOT)}.pdf")
    return 0


if __name__ == "__main__":
    sys.exit(main())
