// The page with a cell of the reader's own: examples to choose from, and the code in the address.
// Loaded by hdp-run.js on that page, after hdp-kernel.js, whose first cell it is.
(function () {
  "use strict";
  const [cell] = window.hdpKernel.cells, KEY = "#code=";
  const examples = Array.from(document.querySelectorAll(".literal-block-wrapper"), (block) =>
    [block.querySelector(".caption-text").textContent, block.querySelector("pre").textContent.trimEnd()]);

  const menu = document.createElement("select"), label = document.createElement("label"), copy = document.createElement("button");
  menu.append(new Option("your own lines", ""), ...examples.map(([name], i) => new Option(name, i)));
  label.append("Example: ", menu);
  Object.assign(copy, { type: "button", className: "hdp-run", textContent: "Copy the address with this code" });
  copy.addEventListener("click", async () => {
    remember();
    try { await navigator.clipboard.writeText(location.href); copy.textContent = "Copied"; }
    catch { copy.textContent = "The address above has the code"; }
  });
  const row = document.createElement("div");
  row.className = "hdp-bar";
  row.append(label, copy);
  cell.element.before(row);
  cell.element.after(window.hdpKernel.licences());
  document.querySelector(".hdp-without").remove();

  const address = () => KEY + encodeURIComponent(cell.code);
  const remember = () => history.replaceState(history.state, "", address());
  const write = (code) => cell.edit(false, code);
  const asked = () => (location.hash.startsWith(KEY) ? window.hdpDecoded(location.hash.slice(KEY.length)) : null);
  menu.addEventListener("change", () => write(menu.value ? examples[menu.value][1] : cell.book).then(remember));
  let waiting; // a browser counts changes of the address
  cell.element.addEventListener("input", () => {
    menu.value = "";
    copy.textContent = "Copy the address with this code";
    clearTimeout(waiting);
    waiting = setTimeout(remember, 500);
  });
  addEventListener("hashchange", () => { if (asked() !== null && asked() !== cell.code) write(asked()); });
  if (asked() === null) cell.edit(false); else write(asked());
})();
