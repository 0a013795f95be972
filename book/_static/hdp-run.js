// The buttons of the cells.  What they do is loaded when one is pressed; a page that nobody runs loads nothing for it.
(function () {
  "use strict";
  const own = document.currentScript, statics = new URL(".", own.src);
  const cells = Array.from(document.querySelectorAll("div.cell")).filter((cell) => cell.querySelector(".cell_input pre"));
  const imports = cells.findIndex((cell) => cell.closest(".hdp-imports")); // they run first and are shown last
  if (imports > 0) cells.unshift(...cells.splice(imports, 1));

  const make = (tag, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };

  // What the reader has changed stays as long as her tab, where the browser keeps such things.
  const page = window.hdpDecoded(location.pathname.slice(new URL("..", statics).pathname.length)).replace(/\.html$/, "");
  const stored = (act) => { try { return act(sessionStorage); } catch { return null; } };
  const key = (number) => `hdp ${page} ${number}`;
  const kept = {
    get: (number) => stored((store) => store.getItem(key(number))),
    set: (number, text) => stored((store) => store.setItem(key(number), text)),
    drop: (number) => stored((store) => store.removeItem(key(number))),
  };

  let loading;
  const script = (name) => new Promise((resolve, reject) => {
    document.head.append(make("script", { src: new URL(name, statics), onload: resolve, onerror: reject }));
  });
  const style = (name) => document.head.append(make("link", { rel: "stylesheet", href: new URL(name, statics) }));
  const load = () => (loading ??= script("hdp-kernel.js").then(() => {
    style("hdp-kernel.css");
    return window.hdpKernel;
  }));
  const button = (label, title, act) => {
    const made = make("button", { type: "button", className: "hdp-run", textContent: label, title });
    made.addEventListener("click", () => load().then(act, () => { made.textContent = "could not be loaded"; }));
    return made;
  };
  window.hdpCells = { cells, page, kept, make, button, load, statics, folder: new URL(own.dataset.kernel + "/", statics) };

  cells.forEach((cell, i) => {
    cell.querySelector(".cell_input").append(make("div", { className: "hdp-bar" },
      button("Run", `Run cell ${i + 1}, and those before it that have not run`, (kernel) => kernel.cells[i].run()),
      button("Edit", `Change the code of cell ${i + 1}`, (kernel) => kernel.cells[i].edit())));
  });
  const all = button("Run all", "Run all cells of this page in your browser, and compare its numbers", (kernel) => kernel.runAll());
  all.classList.add("hdp-run-all");
  if (cells.length) document.querySelector(".article-header-buttons")?.prepend(all);
  if (document.querySelector(".hdp-users")) { ["hdp-kernel.css", "hdp-users.css"].forEach(style); script("hdp-users.js"); }
  if (document.querySelector(".hdp-exercise")) { style("hdp-exercises.css"); script("hdp-exercises.js"); }
  if (document.querySelector(".hdp-playground")) load().then(() => script("hdp-playground.js"));
  else if (cells.some((cell, i) => kept.get(i + 1))) load();
})();
