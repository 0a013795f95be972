// What every page needs besides its figures: parts that fold in the sidebar, a cue where something scrolls, print, and places.
(function () {
  "use strict";
  const statics = new URL(".", document.currentScript.src);

  // A copy under v/<version>/ is kept as it was; what is newer lies above that folder.
  const kept = new URL("..", statics).pathname.match(/^(.*\/)v\/([\w.-]+)\/$/);
  if (kept) {
    const note = document.createElement("p"), link = document.createElement("a");
    note.className = "hdp-kept";
    link.href = kept[1] + "index.html";
    link.textContent = "the current version";
    note.append(`This is version ${kept[2]} of the book, kept as it was: `, link, ".");
    document.querySelector(".bd-article").prepend(note);
  }

  // The folds of the chapters have no words of their own.
  document.querySelectorAll(".bd-links details > summary").forEach((fold) => {
    fold.setAttribute("aria-label", `Sections of ${fold.closest("li").querySelector("a").textContent.trim()}`);
  });

  // The parts of the sidebar fold; the one that has this page is open.
  document.querySelectorAll(".bd-links p.caption").forEach((caption) => {
    const list = caption.nextElementSibling;
    if (!list || list.tagName !== "UL") return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "hdp-part";
    button.append(...caption.childNodes);
    caption.append(button);
    const open = (now) => {
      list.hidden = !now;
      button.setAttribute("aria-expanded", String(now));
    };
    button.addEventListener("click", () => open(list.hidden));
    open(Boolean(list.querySelector(".current")));
  });
  const current = Array.from(document.querySelectorAll(".bd-links li.current")).at(-1); // a section is within its chapter
  const sidebar = document.querySelector(".bd-sidebar-primary");
  const find = () => {
    const { top, bottom } = current.getBoundingClientRect(), frame = sidebar.getBoundingClientRect();
    if (top < frame.top || bottom > frame.bottom) sidebar.scrollTop += top - frame.top - sidebar.clientHeight / 2;
  };
  if (current && sidebar) {
    find();
    addEventListener("load", find); // the theme puts the sidebar where it stood on the page before
  }

  // The page's contents: the theme names their button after the sidebar, and leaves them open over the place chosen there.
  const button = document.querySelector(".secondary-toggle"), contents = document.getElementById("pst-secondary-sidebar-modal");
  for (const name of ["title", "aria-label", "data-bs-original-title"]) button?.setAttribute(name, "Contents of this page");
  contents?.addEventListener("click", ({ target }) => { if (target.closest("a")) contents.close(); });

  // The theme's style sheet shows the sidebar from 960 px on, its script folds it from 992 px on: between them do the same.
  const between = matchMedia("(min-width: 960px) and (max-width: 991.98px)");
  document.querySelector(".primary-toggle")?.addEventListener("click", (event) => {
    if (!between.matches) return;
    event.stopImmediatePropagation();
    sidebar.classList.toggle("pst-sidebar-hidden");
  }, true);

  // A wide formula, table or code scrolls, and fades where there is more of it.
  const WIDE = ":is(div, span).math, mjx-container[display='true'], .hdp-formula, .hdp-mark, .hdp-table, .pst-scrollable-table-container, dl.strip > dd, .highlight > pre";
  const measure = (part) => {
    // Of a formula in a line what is seen counts: what is read aloud in its place is wider, and clipped.
    const seen = part.matches("span.math, .hdp-mark") && part.querySelector("mjx-math");
    return [part, (seen ? seen.getBoundingClientRect().width : part.scrollWidth) - part.clientWidth, part.scrollLeft];
  };
  const cue = ([part, over, left]) => {
    part.classList.toggle("hdp-more-left", over > 1 && left > 1);
    part.classList.toggle("hdp-more-right", over > 1 && left < over - 1);
    if (over > 1) part.tabIndex = 0; else part.removeAttribute("tabindex");
  };
  // All are measured before any is changed, after which the page is laid out anew.
  const look = () => {
    Array.from(document.querySelectorAll(WIDE), measure).forEach(cue);
    // The theme asks what of a cell's output scrolls before its formulas are set, and too late after a resize.
    const outputs = Array.from(document.querySelectorAll(".cell_output > .output"), (part) =>
      [part, part.scrollWidth > part.clientWidth || part.scrollHeight > part.clientHeight]);
    for (const [part, scrolls] of outputs) part.tabIndex = scrolls ? 0 : -1;
  };
  document.addEventListener("scroll", (event) => { if (event.target.matches?.(WIDE)) cue(measure(event.target)); }, true);
  addEventListener("resize", look);
  document.addEventListener("toggle", look, true);
  // A browser may break a line between a formula and its comma or bracket: they stay together.
  const together = () => document.querySelectorAll("article mjx-container:not([display])").forEach((formula) => {
    const whole = formula.parentElement.matches("span.math") ? formula.parentElement : formula;
    const marks = (text, pattern) => (text?.nodeType === Node.TEXT_NODE && pattern.exec(text.data)?.[0]) || "";
    const before = whole.previousSibling, opened = marks(before, /[(\[‘“]+$/);
    const next = whole.nextSibling, closed = marks(next, /^[.,;:!?)\]’”]+/);
    if (!opened && !closed) return;
    const line = document.createElement("span");
    line.className = "hdp-together";
    whole.before(line);
    if (opened) before.data = before.data.slice(0, -opened.length);
    if (closed) next.data = next.data.slice(closed.length);
    line.append(opened, whole, closed);
  });
  // The fonts of formulas come once these are laid out, and change how wide they are.
  const frame = () => new Promise(requestAnimationFrame), settle = () => { look(); land(); };
  const set = () => (window.MathJax?.startup?.promise ?? Promise.resolve()).then(together).then(settle)
    .then(frame).then(frame).then(() => document.fonts.ready).then(settle).then(() => { window.hdpWentOn = true; });
  document.fonts.addEventListener("loadingdone", settle);
  if (document.readyState === "complete") set(); else addEventListener("load", set);

  // Paper is white, whatever the page is.
  const root = document.documentElement.dataset;
  let theme = null; // of the screen, meanwhile
  const print = (now) => {
    if (now === (theme !== null)) return;
    [root.theme, theme] = now ? ["light", root.theme] : [theme, null];
  };
  matchMedia("print").addEventListener("change", ({ matches }) => print(matches));
  addEventListener("beforeprint", () => print(true));
  addEventListener("afterprint", () => print(false));

  // Print shows what is folded; an address may name a place inside a fold.
  addEventListener("beforeprint", () =>
    document.querySelectorAll("details:not([open])").forEach((fold) => { fold.open = true; fold.dataset.printed = ""; }));
  addEventListener("afterprint", () =>
    document.querySelectorAll("details[data-printed]").forEach((fold) => { fold.open = false; delete fold.dataset.printed; }));
  const named = () => document.getElementById(window.hdpDecoded(location.hash.slice(1)));
  const reveal = () => {
    const place = named();
    if (!place) return;
    for (let fold = place.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    if (place.closest("details")) place.scrollIntoView();
  };
  // Formulas and fonts that come later move the place: there again, unless the reader went on.
  const land = () => { if (!window.hdpWentOn) (window.hdpPlace ?? named())?.scrollIntoView({ behavior: "instant" }); };
  addEventListener("hashchange", reveal);
  reveal();
})();
