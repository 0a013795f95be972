"""``{answer}`` below an exercise: a field whose content the page's Python judges, and hints that come one by one.

    ```{answer} sp.log(sp.Rational(3, 2))
    :asked: The budget
    :within: 0.001
    What are the odds of 60 %?
    ```

The argument says what is right, in the names that the page's first cell imports: a number, to within ``:within:``; a
formula in the symbols ``:in:``; or a call of the library with the arguments ``:of:``, tried at the points ``:at:``.
Each line below is a hint.  Without scripts there is no field, nor in print: the solution follows anyway.
"""

import json

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

from .folds import pass_by

FORM = """\
<form class="hdp-exercise" hidden autocomplete="off" data-task="{}">
<label><span>"""
FIELD = """\
:</span> <span class="hdp-wanted">{}</span>
<input name="given" autocapitalize="off" autocorrect="off" spellcheck="false"></label>
<p class="hdp-bar"><button class="hdp-run" title="Python in this page judges it">Check</button>
<button type="button" class="hdp-run" name="hint">Hint</button></p>
<p class="hdp-verdict" role="status"></p>
<ol class="hdp-hints" aria-live="polite">
"""


class answer(nodes.General, nodes.Element):
    """A field; its children are what is asked for, and the hints."""


class Answer(SphinxDirective):
    """The field of an exercise."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec = dict.fromkeys(("asked", "within", "in", "of", "at"), directives.unchanged_required)

    def run(self):
        if not self.content:
            raise self.error("an exercise with a field has a hint")
        made = answer(task=task(self.arguments[0], self.options))
        asked, messages = self.state.inline_text(self.options.get("asked", "Your answer"), self.lineno)
        made += nodes.inline("", "", *asked, *messages)
        for i, line in enumerate(self.content):
            self.state.nested_parse(StringList([line], source=self.content.source(i)), self.content_offset + i, made)
        return [made]


def task(right, options):
    """Return what `hdp.proof._judge.judge` is told of an exercise."""
    names = options.get("in") or options.get("of") or ""
    found = {"right": right, "within": float(options.get("within", 0)), "names": names.split()}
    return found | ({"at": options["at"]} if "of" in options else {})


def wanted(task):
    """Say what belongs into the field."""
    names = ", ".join(f"<code>{name}</code>" for name in task["names"])
    if "at" in task:
        return f"a call of the library, with {names}"
    if names:
        return f"a formula in {names}"
    return f"a number, to within {task['within']:g}" if task["within"] else "a number, exactly"


def visit_html(self, node):
    """Open the form; what is a hint is an item of its list."""
    self.body.append(FORM.format(self.attval(json.dumps(node["task"]))))
    asked, *hints = node.children
    asked.walkabout(self)
    self.body.append(FIELD.format(wanted(node["task"])))
    for hint in hints:
        self.body.append("<li hidden>")
        hint.walkabout(self)
        self.body.append("</li>\n")
    self.body.append("</ol></form>\n")
    raise nodes.SkipNode


def leave_out(self, node):
    """Print has the solution."""
    raise nodes.SkipNode


def setup(app):
    app.add_node(answer, html=(visit_html, pass_by), text=(leave_out, pass_by))
    app.add_directive("answer", Answer)
