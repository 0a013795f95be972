"""What asks the page's Python: the fields of exercises, and the form of the page *Your own users*.

    ```{answer} sp.log(sp.Rational(3, 2))
    :asked: The budget
    :within: 0.001
    What are the odds of 60 %?
    ```

The argument says what is right, in the names that the page's first cell imports: a number, to within ``:within:``; a
formula in the symbols ``:in:``; or a call of the library with the arguments ``:of:``, tried at the points ``:at:``.
Each line below is a hint.  Without scripts there is no field, nor in print: the solution follows anyway.

``{users-form}`` is the form, hidden until `hdp-users.js` fills it with life; ``{command-line} rank users.csv`` shows
`python -m hdp rank users.csv` and its output, beside the file `book/synthesis/users.csv`.
"""

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

FOLDER = "book/synthesis"  # of the sample
EXERCISE = """\
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
USERS = """\
<p class="hdp-without">Without scripts, or in a copy of the book that was built without Python, nothing is computed
here: the command line <a href="#your-users-command-line">below</a> says the same.</p>
<form class="hdp-users" hidden autocomplete="off">
<fieldset><legend>Who are your users?</legend>
<div class="hdp-drop"><label>A table as text: <input type="file" name="file"
accept=".csv,.tsv,.txt,text/csv,text/plain,text/tab-separated-values"></label>
<span>or drop one here</span></div>
<p><button type="button" class="hdp-run" name="sample">Take the sample</button>
<code>users.csv</code>, a thousand users who were made up</p>
<details><summary>Paste lines</summary><label>Lines with a header
<textarea name="text" class="hdp-editor" rows="6" spellcheck="false"
placeholder="user,epsilon,trust,records&#10;ann,0.5,local,4&#10;bob,inf,curator,1"></textarea></label>
<button type="button" class="hdp-run" name="paste">Rank these lines</button></details>
<details><summary>Describe groups</summary>
<div class="hdp-table"><table class="table"><caption>Users who are alike are a row; a budget of inf is a public value;
<em>50 % becomes</em> is what who thought both of two values as likely believes of the right one at most.
</caption><thead><tr><th scope="col">users</th><th scope="col">budget (nats)</th><th scope="col">trust</th>
<th scope="col">records of each</th><th scope="col"><span class="visually-hidden">remove</span></th></tr></thead>
<tbody></tbody></table></div>
<div class="hdp-bar"><button type="button" class="hdp-run" name="add">Add a group</button>
<button type="button" class="hdp-run" name="groups">Rank these groups</button></div></details>
</fieldset>
<fieldset name="layout" hidden><legend>What does the table say?</legend>
<div class="hdp-fields">
<label>Who she is<select name="user"><option value="">choose a column</option>
<option value="none">nobody is named: every row is one person</option>
<optgroup label="columns"></optgroup></select></label>
<label>Her budget<select name="epsilon"><option value="">choose a column</option>
<optgroup label="columns"></optgroup></select></label>
<label>Words for budgets
<input name="budgets" placeholder="low=0.1,high=1,public=inf" spellcheck="false"></label>
<label>Whom she trusts<select name="trust"><option value="">choose a column</option>
<option value="curator">all trust the curator</option><option value="local">all are local, and trust nobody</option>
<optgroup label="columns"></optgroup></select></label>
<label>Her number of records<select name="records"><option value="">choose a column</option>
<option value="1">all have 1</option><optgroup label="columns"></optgroup></select></label>
<label>Her value, not read here<select name="value"><option value="">choose a column</option>
<optgroup label="columns"></optgroup></select></label>
<label>Sign before decimals<select name="decimal"><option value="">as the table shows</option>
<option value=",">comma</option><option value=".">point</option></select></label>
</div></fieldset>
<fieldset><legend>What is known of the values, from elsewhere?</legend>
<p><label>They lie from <input name="low" inputmode="decimal" size="8"></label>
<label>to <input name="high" inputmode="decimal" size="8"></label></p>
<label><select name="known"><option value="">nothing else</option>
<option value="variance">an upper bound of their variance</option>
<option value="prior">mean and spread of the users' own means</option></select>
<span class="visually-hidden">What is known of the values</span></label>
<label hidden>variance at most <input name="variance" inputmode="decimal" size="6" value="0.1"></label>
<label hidden>mean <input name="mean" inputmode="decimal" size="6" value="0.4"></label>
<label hidden>spread <input name="spread" inputmode="decimal" size="6" value="0.1"></label>
</fieldset>
<p class="hdp-bar"><button type="button" class="hdp-run" name="again" hidden>Rank again</button>
<button type="button" class="hdp-run" name="stop" hidden>Stop</button>
<progress max="1" hidden aria-label="Part of the file that is read"></progress>
<span class="hdp-doing" role="status"></span></p>
<div class="hdp-refused" role="alert" tabindex="-1" hidden></div>
</form>
<section class="hdp-answer" aria-label="Answer" tabindex="-1" hidden></section>
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
        for line in self.content:
            made += self.parse_text_to_nodes(line)
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
    self.body.append(EXERCISE.format(self.attval(json.dumps(node["task"]))))
    asked, *hints = node.children
    asked.walkabout(self)
    self.body.append(FIELD.format(wanted(node["task"])))
    for hint in hints:
        self.body.append("<li hidden>")
        hint.walkabout(self)
        self.body.append("</li>\n")
    self.body.append("</ol></form>\n")
    raise nodes.SkipNode


class UsersForm(SphinxDirective):
    """The form and the place of its answer."""

    def run(self):
        return [nodes.raw("", USERS, format="html")]


class CommandLine(SphinxDirective):
    """A command of `python -m hdp`, and what it prints."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self):
        arguments = self.arguments[0].split()
        folder = Path(self.env.srcdir, FOLDER)
        for module in Path(find_spec("hdp").origin).parent.glob("_*/*.py"):
            self.env.note_dependency(str(module))
        done = subprocess.run(
            [sys.executable, "-m", "hdp", *arguments], cwd=folder, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise self.error(done.stderr)
        text = f"$ python -m hdp {self.arguments[0]}\n{done.stdout.rstrip()}"
        return [nodes.literal_block(text, text, language="console", classes=["hdp-command"])]


def setup(app):
    app.add_node(answer, html=(visit_html, None))
    app.add_directive("answer", Answer)
    app.add_directive("users-form", UsersForm)
    app.add_directive("command-line", CommandLine)
