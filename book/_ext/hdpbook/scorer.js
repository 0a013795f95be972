// The order of Sphinx's results: a title that says what is asked for, then chapters before the library's pages, then
// what Sphinx finds more often; among equals the order of the book, not that of the alphabet.
const asked = (new URLSearchParams(location.search).get("q") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
const order = Object.keys(window.hdpSearch?.pages ?? {});
var Scorer = {
  score: ([page, title, , , score]) => {
    const named = asked.length && asked.every((word) => title.toLowerCase().includes(word));
    const place = order.indexOf(page);
    return score + (named ? 200 : 0) - (page.startsWith("book/reference/") ? 100 : 0) - (place < 0 ? 1 : place / 1000);
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
