// On the search page: the results that have the number asked for, before all pages; and the part of every page found.
// book/_ext/hdpbook/search.py writes what is known of them.
(function () {
  "use strict";
  const FEW = 12;
  const { pages, results } = window.hdpSearch;
  const place = document.getElementById("search-results");
  const words = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}.]+/gu, " ").trim().split(" ").filter(Boolean);
  const singular = (word) => word.replace(/^(theorem|lemma|proposition|definition|equation|figure|algorithm|table)s$/, "$1");
  const same = (name) => words(name).map(singular).join(" ");
  const asked = words(new URLSearchParams(location.search).get("q") ?? "").map(singular);
  const query = asked.join(" ");
  const KIND = /^(theorem|lemma|proposition|definition|corollary|algorithm|equation|figure|table|example|remark|section)$/;

  // The smaller, the better: the number itself in the full version, the book's own, that of the conference version;
  // a number that begins so; all that was asked somewhere in number, paper and page.
  function rank({ number, covers = [], own = "", conference = "", paper = "", page }) {
    const names = [number, ...covers].map(same), begins = (name) => name.startsWith(query + " ");
    if (names.includes(query)) return 0;
    if (same(own) === query) return 1;
    if (conference.split(", ").map(same).includes(query)) return 2;
    if (names.some(begins)) return 3;
    const text = words([number, ...covers, own, paper, pages[page][0]].join(" ")).map(singular);
    return asked.every((word) => text.includes(word)) ? 4 : 5;
  }

  const element = (tag, text, attributes = {}) => Object.assign(document.createElement(tag), { textContent: text }, attributes);
  function entry({ number, own, conference, paper, page, address, verdict, bibtex }) {
    const item = document.createElement("li"), [title, part] = pages[page];
    item.append(element("a", paper ? `${number}, ${paper}` : number, { href: address }));
    if (verdict) item.append(" ", element("span", verdict, { className: `verdict verdict-${verdict.replace(/ /g, "-")}` }));
    const where = [paper && own && `here ${own}`, conference && `conference: ${conference}`, `on the page ${title}`, part];
    item.append(element("p", where.filter(Boolean).join(" · "), { className: "hdp-where" }));
    if (bibtex) {
      const fold = element("details", "", { className: "cite" });
      fold.append(element("summary", "Cite"), element("pre", bibtex));
      item.append(fold);
    }
    return item;
  }

  if (asked.some((word) => KIND.test(word) || /^\d+(\.\d+)*$/.test(word))) {
    const found = results.map((result, order) => ({ result, order, rank: rank(result) })).filter(({ rank }) => rank < 5);
    found.sort((a, b) => a.rank - b.rank || a.order - b.order);
    if (found.length) {
      const section = element("section", "", { id: "hdp-results" }), list = element("ol", "");
      section.append(element("h2", "Numbered results"));
      section.append(element("p", `${found.length} found.`, { role: "status" }), list);
      list.append(...found.slice(0, FEW).map(({ result }) => entry(result)));
      if (found.length > FEW) {
        const rest = element("details", ""), more = element("ol", "", { start: FEW + 1 });
        more.append(...found.slice(FEW).map(({ result }) => entry(result)));
        rest.append(element("summary", `${found.length - FEW} more`), more);
        section.append(rest);
      }
      place.before(section);
    }
  }

  // Sphinx adds its results one by one.
  const name = (item) => {
    const link = item.querySelector("a"), page = link && new URL(link.href).pathname;
    const known = Object.keys(pages).find((name) => page?.endsWith(`/${name}.html`));
    if (known && !item.querySelector(".hdp-where"))
      item.append(element("p", [link.hash && `on the page ${pages[known][0]}`, pages[known][1]].filter(Boolean).join(" · "), { className: "hdp-where" }));
  };
  const look = () => place.querySelectorAll("ul.search > li").forEach(name);
  new MutationObserver(look).observe(place, { childList: true, subtree: true });
  look();
})();
