// What rests on what: the neighbourhood of one result, drawn from the table of the same page.
// Above the result stands what it rests on, below it what rests on it; every box is a link, and the lines are a picture.
(() => {
  "use strict";
  const SVG = "http://www.w3.org/2000/svg", PREFIX = "#row-";
  const form = document.querySelector("form.uses-form"), graph = document.querySelector("div.uses-graph");
  const said = form.querySelector("output"), list = form.querySelector("datalist");

  // -- the graph: of every result its authors and number, its verdict, its place, what it uses and what uses it --
  const results = new Map();
  for (const row of document.querySelectorAll("table.uses tbody tr")) {
    const [cell, verdict, ...sides] = row.cells, place = cell.querySelector("a");
    const name = cell.textContent.trim(), number = place.textContent, authors = name.slice(0, -number.length);
    const [uses, users] = sides.map((side) => new Map(Array.from(side.querySelectorAll("a"), (link) =>
      [link.hash.slice(PREFIX.length), link.classList.contains("corrected")])));
    results.set(row.id.slice(PREFIX.length - 1),
      { name, number, authors, uses, users, href: place.href, verdict: verdict.textContent.trim() });
  }
  // A link to a row previews what the row is about.
  for (const link of document.querySelectorAll(`article a[href^="${PREFIX}"]`)) {
    const result = results.get(link.hash.slice(PREFIX.length));
    if (result) { link.classList.add("hdp-preview"); link.dataset.preview = result.href; }
  }
  for (const { name } of results.values()) list.append(new Option(name));

  // -- layers: a result stands as many rows away as its longest way to the middle has steps --------------------
  function layers(id, side, steps) {
    const near = new Map([[id, 0]]);
    for (const [other, step] of near)
      if (step < steps) for (const next of results.get(other)[side].keys()) if (!near.has(next)) near.set(next, step + 1);
    const depth = new Map();
    const longest = (other, step) => {
      if ((depth.get(other) ?? -1) >= step) return;
      depth.set(other, step);
      for (const next of results.get(other)[side].keys()) if (near.has(next)) longest(next, step + 1);
    };
    longest(id, 0);
    const found = [];
    for (const [other, step] of depth) (found[step] ??= []).push(other);
    return found.slice(1);
  }

  // -- boxes ---------------------------------------------------------------------------------------------------
  const element = (tag, className, ...children) => {
    const made = document.createElement(tag);
    if (className) made.className = className;
    made.append(...children);
    return made;
  };
  function box(id, middle, corrected) { // authors are said where they are not those of the chosen result
    const { authors, number, href, verdict } = results.get(id);
    const by = middle || authors !== results.get(now).authors ? authors : "";
    const kind = `verdict-${verdict.replace(/ /g, "-")}`;
    const link = element("a", "hdp-preview", element("span", "uses-name", by, number), " ",
      element("span", `verdict ${kind}`, verdict), corrected ? element("span", "uses-corrected", " used as corrected") : "");
    link.href = middle ? href : PREFIX + id;
    link.dataset.preview = href;
    link.dataset.id = id;
    if (middle) link.setAttribute("aria-current", "true");
    return element("li", kind, link);
  }
  function layer(ids, words, mended) {
    const row = element("ul", "uses-layer", ...ids.map((id) => box(id, false, mended(id))));
    row.setAttribute("aria-label", words);
    return row;
  }

  // -- lines ---------------------------------------------------------------------------------------------------
  let edges = [];
  function drawLines() {
    graph.querySelector("svg")?.remove();
    if (graph.hidden) return;
    const around = graph.getBoundingClientRect(), svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("aria-hidden", "true");
    svg.setAttribute("width", around.width);
    svg.setAttribute("height", around.height);
    const boxes = new Map(Array.from(graph.querySelectorAll("a"), (link) => [link.dataset.id, link.getBoundingClientRect()]));
    for (const [below, above, corrected] of edges) {
      const start = boxes.get(above), end = boxes.get(below), path = document.createElementNS(SVG, "path");
      const x = (place) => place.left + place.width / 2 - around.left;
      const from = start.bottom - around.top, to = end.top - around.top, bend = (to - from) / 2;
      path.setAttribute("d", `M${x(start)},${from}C${x(start)},${from + bend} ${x(end)},${to - bend} ${x(end)},${to}`);
      path.dataset.ends = ` ${above} ${below} `;
      path.classList.toggle("corrected", corrected);
      svg.append(path);
    }
    graph.prepend(svg);
  }
  function light(id) {
    for (const path of graph.querySelectorAll("path")) path.classList.toggle("lit", !!id && path.dataset.ends.includes(` ${id} `));
  }

  // -- the page ------------------------------------------------------------------------------------------------
  let now;
  function show(id) {
    if (!results.has(id)) return;
    now = id;
    const steps = Number(form.elements.steps.value), { name, uses, users } = results.get(id);
    const up = layers(id, "uses", steps), down = layers(id, "users", steps);
    const sides = [up, down].map((rows) => new Set([id, ...rows.flat()]));
    edges = [];
    for (const side of sides) for (const below of side)
      for (const [above, corrected] of results.get(below).uses) if (side.has(above)) edges.push([below, above, corrected]);
    const mended = (other) => edges.some(([, above, corrected]) => above === other && corrected)
      && edges.every(([, above, corrected]) => above !== other || corrected);
    const words = (count, what) => `${count} ${count === 1 ? "step" : "steps"} ${what}`;
    const middle = element("ul", "uses-layer uses-middle", box(id, true));
    middle.setAttribute("aria-label", "The chosen result");
    graph.replaceChildren(
      ...up.map((ids, k) => layer(ids, words(k + 1, "up: it rests on"), mended)).reverse(), middle,
      ...down.map((ids, k) => layer(ids, words(k + 1, "down: rests on it"), mended)));
    form.elements.result.value = name;
    said.textContent = `${name} rests on ${uses.size || "nothing"} and is used by ${users.size || "nothing"}`
      + ` directly; shown are ${sides[0].size - 1} above and ${sides[1].size - 1} below.`;
    drawLines();
  }
  function go(id) {
    history.pushState(null, "", PREFIX + id);
    show(id);
    const middle = graph.querySelector("[aria-current]");
    middle.focus({ preventScroll: true });
    middle.scrollIntoView({ block: "nearest" });
  }
  const asked = () => window.hdpDecoded(location.hash.slice(PREFIX.length));
  function find(words) {
    const wanted = words.toLowerCase().split(/[\s,]+/);
    const fits = (name) => wanted.every((word) => name.toLowerCase().includes(word));
    return [...results].find(([, { name }]) => name === words)?.[0] ?? [...results].find(([, { name }]) => fits(name))?.[0];
  }

  graph.addEventListener("click", (event) => {
    const link = event.target.closest("a:not([aria-current])");
    if (!link || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    go(link.dataset.id);
  });
  for (const [start, end] of [["pointerover", "pointerout"], ["focusin", "focusout"]]) {
    graph.addEventListener(start, (event) => light(event.target.closest("a")?.dataset.id));
    graph.addEventListener(end, () => light());
  }
  form.elements.result.addEventListener("focus", (event) => event.target.select());
  form.addEventListener("change", (event) => {
    if (event.target.name === "steps") return show(now);
    const id = find(form.elements.result.value.trim());
    if (id) history.pushState(null, "", PREFIX + id), show(id);
    else said.textContent = "No result has these words in its name.";
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("popstate", () => show(results.has(asked()) ? asked() : graph.dataset.first));
  form.hidden = graph.hidden = false;
  show(results.has(asked()) ? asked() : graph.dataset.first);
  if (results.has(asked())) (window.hdpPlace = form).scrollIntoView(); // the browser went to its row of the table
  new ResizeObserver(drawLines).observe(graph);
})();
