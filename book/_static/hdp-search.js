// On the search page: the results that have the number asked for, before all pages; and the part of every page found.
// book/_ext/hdpbook/search.py writes what is known of them, with the keys by which one may ask (`equation 57`).
(function () {
  "use strict";
  const FEW = 12;
  const ABOUT = 4; // from the fifth list of its keys on, a result is a part of what was asked for, or mentions it
  const { words: kinds, papers, pages, results } = window.hdpSearch;
  const place = document.getElementById("search-results");
  const KINDS = new Set(Object.values(kinds));
  const TOKEN = /§|\(\d+\)|[ivx]+[-–.][a-z]\b|[a-z]\.\d+|\d+(?:\.\d+)*(?:[a-z]\b)?|[\p{L}_]+/gu;
  const ROMAN = ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x"];
  const SILENT = new Set("and to of the a an in on from by for with at no nr number see et al s".split(" "));
  "this paper version full arxiv".split(" ").forEach((word) => SILENT.add(word));
  const YEAR = /^(19|20)\d\d$/;
  // [CFMT22] is a paper's name, not the number 22.
  const SHORT = new RegExp(`\\b(${Object.keys(papers).join("|")})[+']*\\d\\d\\b`, "g");

  // What a text says, word by word, each kind in full: "Eqs. (5), (6)" says "equation", "(5)", "(6)".
  const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(SHORT, "$1");
  const read = (text) => (plain(text).match(TOKEN) ?? []).map((word) => kinds[word] ?? word);
  const bare = (word) => word.replace(/[()]/g, "");
  const same = (said) => said.filter((word) => word.length === 1 || !SILENT.has(word)).map(bare).join(" ");

  // "ii-a" of a section or table is "2a", as the keys have it.
  function numeral(kind, word) {
    if (/\d/.test(word)) return word;
    if (kind === "appendix" && word.length === 1) return word;
    const [, roman, letter] = word.match(/^([ivx]+?)[-–.]?([a-h]?)$/) ?? [];
    const number = ROMAN.indexOf(roman) + 1;
    return number && ["section", "table"].includes(kind) ? `${number}${letter}` : "";
  }

  // The keys in what is asked, and the other words; " 5.2" is a number of any kind, and "(24)" alone is an equation.
  function keysOf(said) {
    const keys = [], others = [];
    let kind = "", base = "", count = 0;
    const close = () => { if (kind && !count) others.push(kind); };
    for (const word of said) {
      const number = bare(numeral(kind, word));
      if (KINDS.has(word)) {
        close();
        [kind, base, count] = [word, "", 0];
      } else if (number) {
        keys.push(`${kind || (word.startsWith("(") ? "equation" : "")} ${number}`);
        base = keys.at(-1);
        count += 1;
      } else if (base.startsWith("figure") && /^[a-h]$/.test(word)) {
        if (keys.at(-1) === base) keys.pop();
        keys.push(base + word);
      } else if (!SILENT.has(word)) others.push(word);
    }
    close();
    return { keys, others };
  }

  // The words of authors and years are taken off first; they say whose results are asked for.
  function asked(query) {
    const all = read(query), tags = Object.keys(papers);
    const years = all.map(bare).filter((word) => YEAR.test(word));
    const named = (word) => tags.filter((tag) => papers[tag].words.includes(word));
    let whose = tags.filter((tag) => all.some((word) => named(word).includes(tag)));
    if (!whose.length) whose = tags;
    const then = whose.filter((tag) => papers[tag].years.some((year) => years.includes(year)));
    const said = all.filter((word) => !named(word).length && !YEAR.test(bare(word)));
    const conference = /\b(isit|conference)\b/i.test(query); // whose numbers then come first
    return { query, whole: same(said), whose: then.length ? then : whose, conference, ...keysOf(said) };
  }

  const ends = (known, number) => known.endsWith(number) && !/^(line|step)/.test(known);
  const has = (list, key) => list.includes(key) || (key.startsWith(" ") && list.some((known) => ends(known, key)));
  // What a result's name says, and what its page and its paper's title do; read once.
  for (const result of results) {
    const { number, own, paper, page } = result;
    const around = read(`${pages[page][0]} ${papers[paper].title}`);
    result.said = { whole: same(read(number)), name: read(`${number} ${own}`), around };
  }

  // The first of a result's lists of keys by which it has all that is wanted, or `some`.
  function rank({ keys, number, said }, { query, whole, conference }, wanted, some) {
    if (!conference && said.whole === whole) return query.includes(number) ? -2 : -1; // r > 1 is not R > 1
    const lists = conference ? [keys[3], ...keys] : keys;
    const known = lists.map((_, last) => lists.slice(0, last + 1).flat());
    const found = known.findIndex((list) => wanted[some ? "some" : "every"]((key) => has(list, key)));
    return found < 0 ? Infinity : found;
  }

  const told = ({ said }, others) =>
    others.map((word) => (said.name.includes(word) ? 2 : said.around.includes(word) && !KINDS.has(word) ? 1 : 0));

  // The results that have these keys, and of them those that say most of the other words, the nearest first.
  function having(ask, wanted, some) {
    const numbered = wanted.some((key) => !key.startsWith(" "));
    const found = results.filter(({ paper }) => ask.whose.includes(paper))
      .map((result) => ({ result, rank: rank(result, ask, wanted, some) })).filter(({ rank }) => rank < Infinity);
    for (const one of found) {
      one.told = told(one.result, ask.others);
      one.weight = one.told.reduce((a, b) => a + b, 0);
      one.count = one.told.filter(Boolean).length;
    }
    const most = numbered ? Math.max(...found.map(({ count }) => count)) : ask.others.length;
    return found.filter(({ count }) => count === most).sort((a, b) => a.rank - b.rank || b.weight - a.weight);
  }

  // All results that are asked for, and what has to be said of them.
  function find(query) {
    const ask = asked(query), { keys, others } = ask;
    if (!keys.length && !others.some((word) => KINDS.has(word))) return { found: [] };
    const tries = [
      ["found.", keys],
      ["found, of which this is a part.", keys.map((key) => key.replace(/(\d)[a-h]$/, "$1"))],
      ["found of one of these numbers, none of all.", keys, "some"],
      ["found of this number, none of this kind.", keys.map((key) => key.replace(/^\w+/, ""))],
    ];
    const answer = (found, said) => {
      const ignored = others.filter((_, place) => found.every(({ told }) => !told[place]));
      return { found, said: `${found.length} ${said}${ignored.length ? ` Not compared: ${ignored.join(", ")}.` : ""}` };
    };
    for (const [said, wanted, some] of tries) {
      const found = having(ask, wanted, some);
      if (found[0]?.rank <= ABOUT) return answer(found, said);
    }
    return answer(having(ask, keys), "found."); // which only mention it
  }
  window.hdpSearch.find = find;

  const element = (tag, text, attributes = {}) => Object.assign(document.createElement(tag), { textContent: text }, attributes);
  function entry({ number, own, conference, paper, page, address, verdict, bibtex }) {
    const item = document.createElement("li");
    item.append(element("a", `${number}, ${papers[paper].name}`, { href: address }));
    if (verdict) item.append(element("span", verdict, { className: `verdict verdict-${verdict.replace(/ /g, "-")}` }));
    const where = [own !== number && own && `here ${own}`, conference !== number && conference && `conference: ${conference}`];
    item.append(element("p", [...where, pages[page][0]].filter(Boolean).join(" · "), { className: "hdp-where" }));
    if (bibtex) {
      const fold = element("details", "", { className: "cite" });
      fold.append(element("summary", "Cite"), element("pre", bibtex));
      item.append(fold);
    }
    return item;
  }

  const { found, said } = find(new URLSearchParams(location.search).get("q") ?? "");
  if (found.length) {
    const section = element("section", "", { id: "hdp-results" }), list = element("ol", "");
    const exact = found.filter(({ rank }) => rank < ABOUT).length, few = Math.min(exact || found.length, FEW);
    section.append(element("h2", "Numbered results"), element("p", said, { role: "status" }), list);
    list.append(...found.slice(0, few).map(({ result }) => entry(result)));
    if (found.length > few) {
      const rest = element("details", ""), more = element("ol", "", { start: few + 1 });
      more.append(...found.slice(few).map(({ result }) => entry(result)));
      rest.append(element("summary", `${found.length - few} more${few === exact ? ", parts of it or about it" : ""}`), more);
      section.append(rest);
    }
    place.before(section);
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
