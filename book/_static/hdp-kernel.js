// Runs the cells of a page: Python itself in a worker of this page, from the book's own files, without a server.
// Loaded by hdp-run.js at the first click.  `book/_kernel` is what runs in the worker, `book/_tools/kernel.py` packs it.
(function () {
  "use strict";
  const { cells: elements, page, kept, make, button, statics, folder } = window.hdpCells;
  const MB = 1e6, PHONE = "(max-width: 600px)", MEMORY = "600 MB";

  // ---- what is said: a line that counts for the eye, and words now and then for the ear ------------------------------
  const line = make("span", { className: "hdp-counted" }), spoken = make("span", { className: "visually-hidden" });
  const answers = make("span", { className: "hdp-answers" }); // what the reader may do about it
  const status = make("div", { className: "hdp-status", hidden: true }, line, spoken, answers);
  line.setAttribute("aria-hidden", "true");
  spoken.setAttribute("role", "status");
  // After "Run all" in the order of the keyboard.
  (document.querySelector(".article-header-buttons") ?? document.body).append(status);
  const show = (text, ...may) => { status.hidden = !text; line.textContent = text; answers.replaceChildren(...may); };
  const say = (text, ...may) => { show(text, ...may); spoken.textContent = text; };

  // ---- the files, as scripts, because a page from disk may open nothing else -----------------------------------------
  const pieces = new Map();
  let index, received = 0;
  window.hdpKernelIndex = (text) => { index = text; };
  // The text is the comment of a function that says nothing else, a part of the script itself: of a string, the browser
  // would keep a copy.
  window.hdpKernelPiece = (name, i, told) => pieces.set(`${name}.${i}`, String(told).slice("()=>{/*".length, -"*/}".length));
  const script = (address, name) => new Promise((resolve, reject) => {
    const tag = make("script", { src: address });
    tag.onload = () => { tag.remove(); resolve(); };
    tag.onerror = () => { tag.remove(); reject(new Error(`${name} is missing`)); };
    document.head.append(tag);
  });
  const hex = (bytes) => Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");

  async function contents() {
    await script(new URL("index.js", folder), "the list of the kernel's files");
    // The folder is named after its list, the list has the digests of the files.
    if (window.crypto?.subtle) {
      const digest = hex(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(index)));
      if (!folder.pathname.endsWith(`kernel-${digest.slice(0, 16)}/`)) throw new Error("index.js is not the file that this book was built with");
    }
    return JSON.parse(index);
  }

  const AT_ONCE = 4; // text of scripts is memory of the page until it is collected
  let free = AT_ONCE;
  const waiting = [];
  const slot = () => (free > 0 ? (free -= 1, undefined) : new Promise((resolve) => waiting.push(resolve)));
  const release = () => { if (waiting.length) waiting.shift()(); else free += 1; };

  async function file(name, { scripts }) {
    const decoded = scripts.map(async ([address, size], i) => {
      await slot();
      try { return await piece(name, i, address, size); } finally { release(); }
    });
    return new Blob(await Promise.all(decoded));
  }

  async function piece(name, i, address, size) {
    await script(new URL(address, folder), address);
    const key = `${name}.${i}`, text = pieces.get(key);
    pieces.delete(key);
    received += size * 3 / 4;
    try { return await bytes(text); } catch { throw new Error(`${address} is damaged`); }
  }

  // The blob does not count as memory of the page, and what it is made from is given back at once.
  async function bytes(text) {
    if (!Uint8Array.fromBase64) return (await fetch("data:application/octet-stream;base64," + text)).blob(); // older browsers
    const array = Uint8Array.fromBase64(text), blob = new Blob([array]);
    giveBack(array.buffer);
    return blob;
  }

  // Sent to where nobody listens, as in worker.js: what `transfer` detaches stays in memory as long as the blob.
  function giveBack(buffer) {
    const { port1, port2 } = new MessageChannel();
    port2.close();
    port1.postMessage(null, [buffer]);
    port1.close();
  }

  // The text of the scripts is garbage now, but a page that allocates little keeps garbage for minutes: asked for more
  // than there can be, Chromium first looks for what it can free; other browsers just refuse.
  const TOO_MUCH = 2 ** 34;
  function collect() {
    try { new ArrayBuffer(TOO_MUCH); } catch { /* as expected */ }
  }

  const held = new Map(); // files that have come stay for the next start
  let listed;
  const list = () => (listed ??= contents().catch((error) => { listed = null; throw error; }));
  async function get(name) {
    const entry = (await list())[name];
    if (!entry) throw new Error(`${name} is not in the list of the kernel's files`);
    if (!held.has(name)) held.set(name, file(name, entry).catch((error) => { held.delete(name); throw error; }));
    return { name, packed: await held.get(name), sha256: entry.sha256 };
  }
  // The address of a script among them.
  async function source(name) {
    const { packed } = await get(name);
    const text = await new Response(packed.stream().pipeThrough(new DecompressionStream("gzip"))).text();
    return URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  }
  let editing;
  const editors = () => (editing ??= source("editor.js").then((address) => script(address, "editor.js")).then(() => window.hdpEditor)
    .catch((error) => { editing = null; held.delete("editor.js"); throw error; }));
  const total = (all, names) => names.reduce((sum, name) => sum + all[name].scripts.reduce((s, [, size]) => s + size * 3 / 4, 0), 0);

  // ---- the kernel ----------------------------------------------------------------------------------------------------
  const LATER = ["matplotlib.img", "editor.js"];
  const ORDER = { "worker.js": -1, "scipy.img": 1 }; // Python starts while SciPy comes
  let kernel = null; // { worker, ready, running }

  function launch() {
    if (kernel) return kernel.ready;
    const mine = kernel = { worker: null, running: null, asked: new Map() };
    const began = performance.now();
    let stage = "", bytes = 0;
    received = 0;
    const count = () => {
      const loaded = received < bytes ? `loading Python, ${(received / MB).toFixed(0)} of ${(bytes / MB).toFixed(0)} MB` : stage;
      show(`${loaded}, ${((performance.now() - began) / 1000).toFixed(0)} s`);
    };
    const clock = setInterval(count, 250);
    mine.ready = (async () => {
      const all = await list(), names = Object.keys(all).filter((name) => !LATER.includes(name));
      bytes = total(all, names.filter((name) => !held.has(name)));
      say(bytes ? `Loading Python, ${(bytes / MB).toFixed(0)} MB.  It starts anew on every page.` : "Starting Python anew");
      names.sort((a, b) => (ORDER[a] ?? 0) - (ORDER[b] ?? 0));
      const coming = names.map((name) => [name, get(name)]);
      // Each is waited for later; one that fails before would be reported as a failure that nobody hears of.
      coming.forEach(([, blob]) => blob.catch(() => {}));
      const address = await source(coming[0][0]);
      // The reader may have pressed Stop while the files came, when there was no worker to end.
      if (kernel !== mine) throw new Error(STOPPED);
      const worker = mine.worker = new Worker(address);
      await new Promise((resolve, reject) => {
        mine.end = (text) => reject(new Error(text));
        worker.onerror = (event) => { event.preventDefault(); mine.fail(event.message || "the browser has ended it"); };
        worker.onmessage = ({ data }) => {
          if (data.type === "ready") { mine.started = true; resolve(); }
          else if (data.type === "status") { stage = data.text; spoken.textContent = stage; }
          else if (data.type === "need") need(mine, data.name);
          else if (data.type === "failed") mine.fail(data.text);
          else if (data.type === "names") mine.answer(data);
          else mine.running?.[data.type]?.(data);
        };
        // What has not started cannot have ended: who waits for it is told.
        mine.fail = (text) => { if (!mine.started) reject(new Error(text)); else if (kernel === mine) ended(text); };
        mine.answer = ({ id, names }) => { mine.asked.get(id)?.(names); mine.asked.delete(id); };
        worker.postMessage({ type: "start", page });
        stage = "starting Python";
        const sent = coming.slice(1).map(([name, blob]) =>
          blob.then((got) => worker.postMessage({ type: "file", ...got }), (error) => mine.fail(error.message)));
        Promise.all(sent).then(collect); // while the worker is busy with the last of them
      });
    })();
    mine.ready.then(() => say(""), (error) => {
      if (kernel === mine) { held.clear(); halt(error.message); say(`Python could not be started: ${error.message}`); }
    }).finally(() => clearInterval(clock));
    return mine.ready;
  }

  // The names that the last one of a text may become, as Python knows them; nothing while it runs or is not there.
  let questions = 0;
  const names = (text) => new Promise((resolve) => {
    if (!kernel?.started || kernel.running) return resolve(null);
    kernel.asked.set(questions += 1, resolve);
    kernel.worker.postMessage({ type: "complete", id: questions, text });
  });

  async function need(mine, name) {
    say("Loading matplotlib");
    try {
      mine.worker.postMessage({ type: "file", ...(await get(name)) });
      say("");
    } catch (error) { mine.fail(error.message); }
  }

  // Ending the worker is the only way to interrupt it: what would do it more gently needs headers that files have not.
  const STOPPED = "Stopped.  What Python knew is lost; Run starts it anew.";
  function halt(text) {
    const { worker, running, end, asked } = kernel ?? {};
    kernel = null;
    asked?.forEach((resolve) => resolve(null));
    worker?.terminate();
    end?.(text);
    running?.done({ error: text, glued: {}, ended: true });
    cells.forEach((cell) => {
      if (cell.ran) cell.mark(""); // its result stands, but Python no longer knows of it
      cell.ran = false;
    });
  }
  const ended = (text) => {
    const said = `Python has ended: ${text}.  Run starts it anew.`;
    halt(said);
    say(said);
  };
  const stop = () => { halt(STOPPED); say("Python is stopped"); };

  // A telephone is asked before so much is loaded.
  let agreed = false;
  async function consent(place) {
    if (agreed || !(matchMedia(PHONE).matches || navigator.connection?.saveData)) return true;
    const all = await list().catch(() => null);
    if (!all) return true; // nothing will be loaded, and launch says why
    const size = total(all, Object.keys(all).filter((name) => !LATER.includes(name)));
    return new Promise((resolve) => {
      const question = make("div", { className: "hdp-question" }, `To run this page, ${(size / MB).toFixed(0)} MB are loaded once, and about ${MEMORY} of memory are used. `);
      const answer = (yes) => { agreed = yes; question.remove(); resolve(yes); };
      question.setAttribute("role", "group");
      question.append(
        make("button", { type: "button", className: "hdp-run", textContent: "Load it", onclick: () => answer(true) }),
        make("button", { type: "button", className: "hdp-run", textContent: "Not now", onclick: () => answer(false) }));
      place.after(question);
      question.querySelector("button").focus();
    });
  }

  // ---- results ---------------------------------------------------------------------------------------------------------
  async function figures(box) {
    const found = box.querySelectorAll(".hdp-figure");
    if (!found.length) return;
    for (const name of window.vegaEmbed ? [] : ["vega.js", "hdp-draw.js"]) await script(new URL(name, statics), name);
    if (!window.hdpFigure) await script(new URL("hdp-figure.js", statics), "hdp-figure.js");
    found.forEach((figure) => { if (!figure.dataset.ready) window.hdpFigure(figure); });
  }

  function result(mime, text) {
    const item = make("div", { className: "output " + mime.replace("/", "_") });
    if (mime === "text/html") item.innerHTML = text;
    else if (mime === "text/markdown") item.append(...markdown(text));
    else if (mime === "image/png") item.append(make("img", { alt: "Picture that this cell has drawn", src: "data:image/png;base64," + text }));
    else if (mime === "text/latex") {
      item.classList.add("mathjax_process");
      item.textContent = "\\[" + text.trim().replace(/^\$+(\\displaystyle )?|\$+$/g, "") + "\\]";
    } else item.append(make("pre", { textContent: text }));
    return item;
  }

  // Tables and paragraphs are all that chapters make of it, with formulas between dollars.
  function markdown(text) {
    const inline = (tag, piece) => make(tag, { className: "mathjax_process", textContent: piece.trim().replace(/\$([^$]+)\$/g, "\\($1\\)") });
    const rows = text.split("\n").filter((row) => row.startsWith("|")).map((row) => row.trim().slice(1, -1).split("|"));
    if (!rows.length) return text.split(/\n\s*\n/).map((piece) => inline("p", piece));
    const [head, , ...body] = rows.map((row, i) => make("tr", {}, ...row.map((piece) => inline(i ? "td" : "th", piece))));
    return [make("table", { className: "table" }, make("thead", {}, head), make("tbody", {}, ...body))];
  }

  const where = (error) => {
    const places = Array.from(error.matchAll(/File "<cell (\d+)>", line (\d+)/g)), last = places[places.length - 1];
    const message = error.trim().split("\n").pop();
    return last ? `${message} (line ${last[2]} of cell ${last[1]})` : message;
  };

  // ---- a cell ------------------------------------------------------------------------------------------------------------
  class Cell {
    constructor(element, i) {
      Object.assign(this, { element, number: i + 1, ran: false, glued: {} });
      this.input = element.querySelector(".cell_input");
      this.pre = this.input.querySelector("pre");
      this.book = this.pre.textContent.replace(/\n$/, "");
      this.bar = this.input.querySelector(".hdp-bar");
      this.undo = button("Reset", "Back to the book's code and result", () => this.reset());
      this.halt = button("Stop", "Stop Python; what it knew is lost", stop);
      this.undo.hidden = this.halt.hidden = true;
      this.state = make("span", { className: "hdp-state" });
      this.bar.append(this.undo, this.halt, this.state);
    }
    get code() { return this.editor ? this.editor.value : this.book; }
    mark(word) { this.state.textContent = word; this.element.dataset.state = word.split(" ")[0]; }

    async edit(focus = true, code = null) {
      if (!this.editor) {
        let make;
        try { make = await editors(); } catch (error) { return say(`The editor could not be loaded: ${error.message}`); }
        if (!this.editor) this.open(make);
      }
      this.original.hidden = true;
      this.undo.hidden = kernel?.running === this;
      if (code !== null) { this.editor.value = code; this.changed(); }
      if (focus) this.editor.focus();
    }
    open(make) {
      this.editor = make({
        code: this.book, names,
        label: `Code of cell ${this.number}; Shift and Enter run it, Escape leaves it`,
        changed: () => { this.changed(); this.editor.dom.dispatchEvent(new Event("input", { bubbles: true })); },
        run: () => this.run(),
        leave: () => this.bar.querySelector("button").focus(),
      });
      this.original = this.pre.closest(".cell_input > div") ?? this.pre;
      this.original.before(this.editor.dom);
    }
    changed() {
      if (this.code === this.book) kept.drop(this.number); else kept.set(this.number, JSON.stringify([this.book, this.code]));
      this.mark("changed");
      this.ran = false;
      this.outdate();
    }
    // What stands below was computed from what stood here.
    outdate() {
      for (const cell of cells.slice(this.number - 1)) {
        if (cell.ran && cell !== this) cell.mark("out of date");
        Object.assign(cell, { ran: false, glued: {} });
      }
      compare();
    }
    // What was changed before the page was loaded again, unless the book has other code by now.
    restore() {
      const [book, code] = JSON.parse(kept.get(this.number) ?? "[]");
      if (book !== this.book) return;
      for (let fold = this.input; (fold = fold.parentElement?.closest("details")); ) fold.open = true;
      this.edit(false, code).then(() => this.mark("changed, as you left it"));
    }
    reset() {
      const differed = this.code !== this.book;
      kept.drop(this.number);
      this.editor?.remove();
      this.editor = null;
      if (this.original) this.original.hidden = false;
      if (differed) this.outdate();
      this.box?.remove();
      this.box = null;
      if (this.printed) this.place(this.printed);
      this.printed = null;
      this.undo.hidden = true;
      this.mark("");
      this.bar.querySelector("button").focus();
    }

    // Where the printed result stands: before the fold of the code, or else below the open code.
    place(box) {
      const fold = this.element.querySelector(":scope > details.hdp-fold");
      if (fold) fold.before(box); else this.element.append(box);
    }
    clear() {
      const printed = this.element.querySelector(":scope > .cell_output:not(.hdp-result)");
      const { height } = (this.box ?? printed ?? this.bar).getBoundingClientRect();
      if (printed) { this.printed = printed; printed.remove(); } // not hidden: its identifiers would stand twice
      this.box?.remove();
      this.box = make("div", { className: "cell_output docutils container hdp-result" });
      this.box.style.minHeight = `${height}px`; // until its content is there, so that the page does not jump
      this.box.setAttribute("role", "group");
      this.box.setAttribute("aria-label", `Result of cell ${this.number}, just computed`);
      this.place(this.box);
      this.written = this.shortened = null;
    }

    run() { return inLine(() => runTo(this)); }
    async execute() {
      this.ended = !kernel; // Python may have ended while the last result was shown
      if (this.ended) return false;
      this.clear();
      this.mark("running");
      this.halt.hidden = false;
      this.undo.hidden = true; // until there is a result that it could take back
      return new Promise((resolve) => {
        this.finish = resolve;
        this.sent = this.code;
        kernel.running = this;
        kernel.worker.postMessage({ type: "cell", id: this.number, code: this.sent });
      });
    }
    // What the worker says of the running cell.
    stream({ text }) {
      if (!this.written) this.box.append(make("div", { className: "output stream" }, (this.written = make("pre"))));
      this.written.append(text);
    }
    output({ mime, text }) {
      this.written = null;
      this.box.append(result(mime, text));
    }
    // More than a page can show, by kind; said again while it grows.
    cut({ cut }) {
      const parts = Object.entries(cut).filter(([, count]) => count).map(([kind, count]) =>
        `${count.toLocaleString("en")} ${count === 1 ? kind.slice(0, -1) : kind}`);
      this.box.append(this.shortened ??= make("p", { className: "hdp-cut" }));
      this.shortened.textContent = `The rest is cut: ${parts.join(", ")}.`;
    }
    async done({ error, glued, seconds, ended }) {
      if (kernel) kernel.running = null;
      this.halt.hidden = true;
      this.undo.hidden = false;
      const changed = this.sent !== this.code; // by the reader, while it ran
      this.current = !changed && cells.slice(0, this.number - 1).every((cell) => cell.ran); // nor has what stands above
      this.glued = this.current ? glued : {};
      compare();
      this.ran = !error && this.current;
      this.ended = Boolean(ended);
      if (error) {
        const told = make("div", { className: "output traceback" }, make("p", { textContent: ended ? error : where(error) }));
        if (!ended) told.append(make("pre", { textContent: error }));
        this.box.append(told);
      }
      const box = this.box;
      if (!box.childElementCount) box.remove();
      this.mark(ended ? "stopped" : changed ? "changed" : !this.current ? "out of date" : `${error ? "failed" : "done"} in ${seconds.toFixed(1)} s`);
      try {
        await window.MathJax?.startup?.promise;
        await window.MathJax?.typesetPromise?.([box]);
        await figures(box);
      } catch (problem) { box.append(make("p", { textContent: `The result could not be shown: ${problem.message}` })); }
      box.style.minHeight = "";
      dispatchEvent(new Event("resize")); // a wide formula has a cue
      this.finish(!error);
    }
  }

  // ---- running -------------------------------------------------------------------------------------------------------------
  let queue = Promise.resolve();
  // After a failure, too: whoever is next in line has no part in it.
  const inLine = (work) => (queue = queue.then(work, work));
  const several = (some) => {
    const numbers = some.map((cell) => cell.number);
    return numbers.length === 1 ? `cell ${numbers[0]}` : `cells ${numbers.slice(0, -1).join(", ")} and ${numbers[numbers.length - 1]}`;
  };

  async function runTo(cell) {
    if (!(await consent(cell.bar))) return;
    try { await launch(); } catch (error) { return refuse(cell, error); }
    const before = cells.slice(0, cell.number - 1).filter((other) => !other.ran);
    if (before.length) say(`Running ${several(before)} first`);
    for (const other of before)
      if (!(await other.execute())) {
        if (!kernel) return;
        cell.mark(`not run: cell ${other.number} has failed`);
        return say(`Cell ${other.number} has failed, so cell ${cell.number} was not run.`);
      }
    const good = await cell.execute();
    if (!kernel) return; // stopped: that has been said
    if (before.length && cell.current) cell.mark(`${cell.state.textContent}, after ${several(before)}`);
    say("");
    spoken.textContent = `Cell ${cell.number} ${good ? "is done" : "has failed"}`;
  }

  function refuse(cell, error) {
    if (!cell.box) cell.clear();
    cell.box.replaceChildren(make("div", { className: "output traceback" }, make("p", { textContent: `Python could not be started: ${error.message}` })));
    cell.undo.hidden = false;
    cell.mark("not run");
  }

  const runAll = () => inLine(async () => {
    if (!(await consent(document.querySelector(".hdp-run-all")))) return;
    try { await launch(); } catch { return; }
    const began = performance.now();
    kernel.worker.postMessage({ type: "fresh" });
    cells.forEach((cell) => {
      if (cell.ran) cell.mark("out of date");
      Object.assign(cell, { ran: false, glued: {} });
    });
    compare();
    let failed;
    for (const cell of cells) {
      show(`Running cell ${cell.number} of ${cells.length}`);
      if (!(await cell.execute())) { failed = cell; break; }
    }
    await report((performance.now() - began) / 1000, failed);
  });

  // A question of a form: a file that it brings, code, and the files that it wants to have of what the code writes.
  // What Python prints meanwhile, and how much of the file it has read, is heard.
  const ask = ({ place, bring, code, wanted, heard }) => inLine(async () => {
    if (!(await consent(place))) return { error: "Python was not loaded.", ended: true };
    try { await launch(); } catch (error) { return { error: `Python could not be started: ${error.message}`, ended: true }; }
    if (!kernel) return { error: STOPPED, ended: true };
    const { worker } = kernel, files = {};
    const answer = (message) => new Promise((resolve) => {
      kernel.running = { done: resolve, given: resolve, read: heard, stream: heard, output: () => {} };
      worker.postMessage(message);
    }).finally(() => { if (kernel) kernel.running = null; });
    if (bring) worker.postMessage({ type: "bring", ...bring });
    const { error, ended } = await answer({ type: "cell", id: 0, code });
    if (error) return { error, ended };
    for (const name of wanted) {
      const { blob, error } = await answer({ type: "take", name });
      if (error) return { error, ended: true };
      files[name] = blob;
    }
    return { files };
  });

  const licences = () => make("p", { className: "hdp-licences" },
    make("a", { href: new URL("LICENSES/README.txt", folder), textContent: "What the Python in this page is made of, and its licences" }));

  // Every number that the page's cells hand to its text: as printed, and as just computed.
  async function report(seconds, failed) {
    let printed = {};
    window.hdpGlued = (pages) => { printed = pages[page] ?? {}; };
    await script(new URL("glued.js", statics), "the list of printed values").catch(() => {});
    const computed = Object.assign({}, ...cells.map((cell) => cell.glued));
    const rows = Object.entries(printed).map(([name, value]) => [name, value, computed[name] ?? "not computed", computed[name] === value]);
    const equal = rows.filter((row) => row[3]).length;
    const edited = cells.filter((cell) => cell.code !== cell.book);
    const said = (failed ? `Cell ${failed.number} ${failed.ended ? "was stopped" : "has failed"}. ` : `All ${cells.length} cells ran in ${seconds.toFixed(1)} s. `)
      + (rows.length ? `${equal} of ${rows.length} printed numbers are confirmed.` : "No number in this page's prose comes from a cell, so there was nothing to compare.")
      + (edited.length ? ` You have changed ${several(edited)}.` : "");
    document.querySelector(".hdp-report")?.remove();
    const head = make("tr", {}, ...["number", "printed", "just computed", "equal"].map((text) => make("th", { scope: "col", textContent: text })));
    const body = rows.map(([name, value, now, same]) =>
      make("tr", { className: same ? "" : "hdp-differs" }, ...[name, value, now, same ? "yes" : "no"].map((text) => make("td", { textContent: text }))));
    const part = make("section", { className: "hdp-report", tabIndex: -1 }, make("h2", { textContent: "This page, run again" }), make("p", { textContent: said }));
    part.setAttribute("aria-label", "This page, run again");
    if (rows.length) part.append(make("div", { className: "hdp-table" }, make("table", { className: "table" }, make("thead", {}, head), make("tbody", {}, ...body))));
    part.append(licences());
    document.querySelector(".bd-article").append(part);
    // The reader stays where she is.
    const go = () => { show(""); part.scrollIntoView(); part.focus({ preventScroll: true }); };
    say(said, ...[["Show the report", go], ["Close", () => show("")]].map(([textContent, onclick]) =>
      make("button", { type: "button", className: "hdp-run", textContent, onclick })));
  }

  // Beside a number of the text that a changed cell no longer gives stands what it gives.
  const NAMED = "hdp-glued-"; // book/_ext/hdpbook/kernel.py
  const pasted = Array.from(document.querySelectorAll(`.bd-article [class*="${NAMED}"]`), (span) =>
    [span, Array.from(span.classList).find((name) => name.startsWith(NAMED)).slice(NAMED.length)]);
  function compare() {
    const glued = Object.assign({}, ...cells.map((cell) => cell.glued));
    const now = Object.fromEntries(Object.entries(glued).map(([name, value]) => [name.replaceAll("_", "-"), value]));
    for (const [span, name] of pasted) {
      if (span.nextElementSibling?.matches(".hdp-now")) span.nextElementSibling.remove();
      if (name in now && now[name] !== span.textContent) span.after(make("span", { className: "hdp-now", textContent: ` (now ${now[name]})` }));
    }
  }

  const cells = elements.map((element, i) => new Cell(element, i));
  cells.forEach((cell) => cell.restore());
  window.hdpKernel = { cells, runAll, stop, launch, licences, ask, end: (text) => kernel?.fail(text) };
})();
