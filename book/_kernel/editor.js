// The editor of a cell: CodeMirror, whose packages stand above this text in one script (`book/_tools/editor.py`).
// It has the colours of the book's own listings, whose classes it gives to words.
const { Annotation, EditorState } = require("@codemirror/state");
const { EditorView, keymap } = require("@codemirror/view");
const { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } = require("@codemirror/language");
const { autocompletion, closeCompletion, completionKeymap, completionStatus, ifNotIn } = require("@codemirror/autocomplete");
const { defaultKeymap, history, historyKeymap, indentWithTab } = require("@codemirror/commands");
const { globalCompletion, localCompletionSource, python } = require("@codemirror/lang-python");
const { tagHighlighter, tags } = require("@lezer/highlight");

const PYGMENTS = {
  k: [tags.keyword, tags.modifier], kc: [tags.bool, tags.null], ow: tags.operatorKeyword, o: tags.operator, p: tags.punctuation,
  c1: tags.comment, s2: tags.string, se: tags.escape, mf: tags.number, nd: tags.meta,
  nf: tags.function(tags.definition(tags.variableName)), nc: tags.definition(tags.className), n: tags.name,
};
const colours = tagHighlighter(Object.entries(PYGMENTS).flatMap(([name, some]) => [some].flat().map((tag) => ({ tag, class: name }))));
const SHORT = 2; // letters of a name before others are offered unasked
const ours = Annotation.define(); // a change that is not the reader's

// `names(text)` promises the names that the last one of a text may become, or nothing where no Python runs.
const completion = (names) => ifNotIn(["String", "Comment"], async (context) => {
  const before = context.matchBefore(/[\p{L}\p{N}_.]+/u), start = before?.text.split(".").pop();
  if (!before || !context.explicit && !(before.text.includes(".") || start.length >= SHORT)) return null;
  if (/^[\d.]/.test(before.text)) return null; // a number
  const found = await names(before.text);
  if (!found) return before.text.includes(".") ? null : globalCompletion(context);
  return { from: before.to - start.length, options: found.map((label) => ({ label })), validFor: /^[\p{L}\p{N}_]*$/u };
});

// The first Escape closes what is offered, the next one leaves.
const out = (leave) => (view) => {
  const offered = completionStatus(view.state) === "active";
  closeCompletion(view);
  if (!offered) leave();
  return true;
};

window.hdpEditor = ({ code, label, changed, run, leave, names }) => {
  const view = new EditorView({
    doc: code,
    extensions: [
      history(), python(), indentUnit.of("    "), indentOnInput(), bracketMatching(), syntaxHighlighting(colours),
      autocompletion({ override: [completion(names), localCompletionSource], icons: false, defaultKeymap: false }),
      keymap.of([
        ...completionKeymap.filter(({ key }) => key !== "Escape"), { key: "Shift-Enter", run: () => { run(); return true; } }, { key: "Escape", run: out(leave) },
        indentWithTab, ...defaultKeymap, ...historyKeymap,
      ]),
      EditorView.editorAttributes.of({ class: "hdp-editor highlight" }), EditorView.contentAttributes.of({ "aria-label": label }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged && !update.transactions.some((transaction) => transaction.annotation(ours))) changed();
      }),
      EditorState.tabSize.of(4),
    ],
  });
  return {
    dom: view.dom,
    get value() { return view.state.doc.toString(); },
    set value(text) { view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, annotations: ours.of(true) }); },
    focus: () => view.focus(),
    remove: () => { view.destroy(); },
  };
};
