// Previews: what a marked link leads to, and what an acronym stands for, on hover, focus and long press.
// book/_ext/hdpbook/previews.py writes a script with the targets of every page; it is asked for when one is wanted.
(function () {
  "use strict";
  const LINKS = "a.hdp-preview, abbr[title], abbr[data-meaning]";
  const OPEN = 150, CLOSE = 250, PRESS = 450; // milliseconds
  const statics = new URL(".", document.currentScript.src), root = new URL("..", statics);
  const article = document.querySelector("article.bd-article");
  if (!article) return;
  const box = document.createElement("div");
  Object.assign(box, { id: "hdp-preview", className: "mathjax_process", role: "tooltip", hidden: true });
  article.after(box);
  let of = null, waiting, pressed = false;

  // Only the first of each acronym is a stop for the keyboard.
  const met = new Set();
  article.querySelectorAll("abbr[title]").forEach((word) => {
    if (!met.has(word.textContent)) word.tabIndex = 0;
    met.add(word.textContent);
  });

  const scripts = new Map();
  const ask = (page) => {
    if (!scripts.has(page)) scripts.set(page, new Promise((done) => {
      const script = document.createElement("script");
      script.src = new URL(`previews/${page}.js`, statics);
      script.onload = script.onerror = done;
      document.head.append(script);
    }));
    return scripts.get(page);
  };
  async function fill(link) {
    if (link.tagName === "ABBR") {
      box.textContent = `${link.textContent}: ${link.title || link.dataset.meaning}`;
      return true;
    }
    const address = new URL(link.href);
    const page = window.hdpDecoded(address.pathname.slice(root.pathname.length)).replace(/\.html$/, "");
    await ask(page);
    const shown = window.hdpPreviews?.[page]?.[window.hdpDecoded(address.hash.slice(1))];
    if (!shown || link !== of) return false;
    const formulas = shown.includes("\\(") || shown.includes("\\[");
    if (formulas && !window.MathJax?.startup) return false; // a page without formulas of its own
    await (setting = setting.then(() => link === of && write(shown, formulas)).catch(console.error));
    return link === of;
  }
  let setting = Promise.resolve(); // MathJax sets one thing after the other
  async function write(shown, formulas) {
    if (formulas) {
      await MathJax.startup.promise;
      MathJax.typesetClear([box]);
    }
    box.innerHTML = shown;
    if (!formulas) return;
    box.classList.add("measured");
    box.hidden = false;
    await MathJax.typesetPromise([box]);
  }

  // Below the link, or above it where there is more room; what does not fit fades, and the link leads to all of it.
  function place(link) {
    const { left, top, bottom } = link.getClientRects()[0] ?? link.getBoundingClientRect();
    const gap = 6, edge = 8, below = innerHeight - bottom - gap - edge, above = top - gap - edge;
    const up = below < Math.min(box.scrollHeight, 200) && above > below;
    box.style.maxHeight = `${up ? above : below}px`;
    box.style.left = `${Math.max(edge, Math.min(left, document.documentElement.clientWidth - box.offsetWidth - edge))}px`;
    box.style.top = `${up ? top - gap - box.offsetHeight : bottom + gap}px`;
    box.classList.toggle("more", box.scrollHeight > box.clientHeight + 1);
    box.querySelectorAll("mjx-container[display]").forEach((formula) => {
      const over = formula.scrollWidth / formula.clientWidth;
      if (over > 1) formula.style.fontSize = `${100 / over}%`;
    });
  }
  async function show(link) {
    if (of === link) return;
    hide();
    of = link;
    link.setAttribute("aria-describedby", box.id);
    if (link.title) { link.dataset.meaning = link.title; link.removeAttribute("title"); } // or the browser's own shows too
    box.style.cssText = "";
    if (!(await fill(link))) { if (of === link) hide(); return; }
    box.hidden = false;
    box.classList.remove("measured");
    place(link);
  }
  function hide() {
    clearTimeout(waiting);
    if (of) {
      of.removeAttribute("aria-describedby");
      if (of.dataset.meaning) { of.title = of.dataset.meaning; delete of.dataset.meaning; }
    }
    of = null;
    box.hidden = true;
    box.classList.remove("measured", "more");
  }
  const later = (what, time) => { clearTimeout(waiting); waiting = setTimeout(what, time); };
  const linkOf = (event) => event.target.closest?.(LINKS);

  article.addEventListener("pointerover", (event) => {
    const link = event.pointerType !== "touch" && linkOf(event);
    if (link) later(() => show(link), OPEN);
  });
  const leave = (event) => {
    if (event.pointerType !== "touch" && document.activeElement !== of) later(hide, CLOSE);
  };
  article.addEventListener("pointerout", (event) => { if (linkOf(event)) leave(event); });
  box.addEventListener("pointerenter", () => clearTimeout(waiting)); // one may point at the preview itself
  box.addEventListener("pointerleave", leave);
  article.addEventListener("focusin", (event) => {
    const link = linkOf(event);
    if (link?.matches(":focus-visible")) show(link);
  });
  article.addEventListener("focusout", (event) => { if (linkOf(event) === of) hide(); });
  addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });

  // A long press shows the preview, a short one follows the link; acronyms lead nowhere, so any press will do.
  article.addEventListener("pointerdown", (event) => {
    const link = event.pointerType === "touch" && linkOf(event);
    pressed = false;
    if (link) later(() => { pressed = true; show(link); }, link.tagName === "ABBR" ? 0 : PRESS);
  });
  for (const end of ["pointerup", "pointercancel"])
    article.addEventListener(end, (event) => { if (event.pointerType === "touch" && !pressed) clearTimeout(waiting); });
  article.addEventListener("contextmenu", (event) => { if (event.pointerType === "touch" && linkOf(event)) event.preventDefault(); });
  article.addEventListener("click", (event) => { if (pressed && linkOf(event)) event.preventDefault(); });
  addEventListener("pointerdown", (event) => { if (of && !box.contains(event.target) && linkOf(event) !== of) hide(); });
  addEventListener("scroll", () => { // it goes with its link; the focus scrolls, too
    if (!of || box.hidden) return;
    const { top, bottom } = of.getBoundingClientRect();
    if (bottom > 0 && top < innerHeight) place(of); else hide();
  }, { passive: true });
})();
