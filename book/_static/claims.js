// The filter of tables of claims.  Its state is in the address, so that a filtered table can be linked.
(() => {
  const form = document.querySelector("form.claims-filter");
  const shown = form.querySelector("output");
  const tables = Array.from(document.querySelectorAll("table.claims"), (table) => ({
    section: table.closest("section"),
    rows: Array.from(table.querySelectorAll("tr.claim"), (row) => ({
      row,
      verdict: row.querySelector(".verdict").textContent,
      // Not the words in the fold, which are code.
      words: Array.from(row.querySelectorAll("td > :not(details)"), (part) => part.textContent).join(" ").toLowerCase(),
    })),
  }));
  const total = tables.reduce((sum, { rows }) => sum + rows.length, 0);

  function show() {
    const wanted = Object.fromEntries(new FormData(form));
    const words = wanted.words.toLowerCase().split(/\s+/);
    let count = 0;
    for (const { section, rows } of tables) {
      let here = 0;
      for (const { row, verdict, words: text } of rows) {
        row.hidden = (wanted.verdict && wanted.verdict !== verdict) || !words.every((word) => text.includes(word));
        here += !row.hidden;
      }
      section.hidden = !here;
      count += here;
    }
    shown.textContent = `${count} of ${total} claims shown`;
  }

  function read(address) {
    const asked = address.searchParams;
    for (const name of ["verdict", "words"]) form.elements[name].value = asked.get(name) ?? "";
    for (const list of form.querySelectorAll("select")) if (list.selectedIndex < 0) list.value = ""; // no such choice
    show();
  }

  function write() {
    const asked = new URLSearchParams(Array.from(new FormData(form)).filter(([, value]) => value.trim()));
    history.replaceState(null, "", `${asked}` ? `?${asked}` : location.pathname);
    show();
  }

  form.addEventListener("input", write);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(write)); // after the fields are empty
  document.querySelector("table.claims-counts")?.addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (!link || link.pathname !== location.pathname || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    history.replaceState(null, "", link.search || location.pathname);
    read(new URL(link.href));
    form.scrollIntoView();
  });
  form.hidden = false;
  read(new URL(location.href));
  // The browser went to a row before the rows above it were hidden.
  document.getElementById(window.hdpDecoded(location.hash.slice(1)))?.scrollIntoView();
})();
