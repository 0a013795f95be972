// On the search page: the results that have the number asked for, before all pages; and the part of every page found.
// book/_ext/hdpbook/search.py writes what is known of them; their numbers are read here as what is asked for is, into
// keys such as `equation 57`.
(function () {
  "use strict";
  const FEW = 12;
  const ABOUT = 4; // from the fifth list of its keys on, a result is a part of what was asked for, or mentions it
  const { papers, pages, results } = window.hdpSearch;
  const place = document.getElementById("search-results");
  // Each kind, and how else it is written; a point behind it counts for nothing.
  const kinds = {
    algorithm: "algorithms alg algs algo algos", appendix: "appendices app apps appx", claim: "claims",
    corollary: "corollaries cor cors corr coro", definition: "definitions def defs defn defns",
    equation: "equations eq eqs eqn eqns", example: "examples ex exs exm", figure: "figures fig figs",
    footnote: "footnotes fn", lemma: "lemmas lemmata lem lems lemm", line: "lines", proposition: "propositions prop props",
    remark: "remarks rem rems rmk rmks", section: "sections sec secs sect sects §", step: "steps",
    table: "tables tab tabs tbl", theorem: "theorems thm thms theo thrm",
  };
  const KINDS = new Set(Object.keys(kinds));
  const KIND = new Map(Object.entries(kinds).flatMap(([kind, words]) => words.split(" ").map((word) => [word, kind])));
  const JOINING = new Set(["and", "to", "introduction"]); // what may stand between two numbers of one name
  const TOKEN = /§|\(\d+\)|[ivx]+[-–.][a-z]\b|[a-z]\.\d+|\d+(?:\.\d+)*(?:[a-z]\b)?|[\p{L}_]+/gu;
  const ROMAN = ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x"];
  const SILENT = new Set("and to of the a an in on from by for with at no nr number see et al s".split(" "));
  "this paper version full arxiv".split(" ").forEach((word) => SILENT.add(word));
  const YEAR = /^(19|20)\d\d$/;
  // [CFMT22] is a paper's name, not the number 22.
  const SHORT = new RegExp(`\\b(${Object.keys(papers).join("|")})[+']*\\d\\d\\b`, "g");

  // What a text says, word by word, each kind in full: "Eqs. (5), (6)" says "equation", "(5)", "(6)".
  const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(SHORT, "$1");
  const read = (text) => (plain(text).match(TOKEN) ?? []).map((word) => KIND.get(word) ?? word);
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

  // All numbers or letters after one up to another: from "4.1" to "4.3", from "1a" to "1c".
  function between(first, last) {
    const [, head, low] = first.match(/^(.*?)(\d+|[a-z])$/), [, other, high] = last.match(/^(.*?)(\d+|[a-z])$/);
    if (head !== other || /\d/.test(low) !== /\d/.test(high)) return [last];
    const code = (end) => (/\d/.test(end) ? Number(end) : end.charCodeAt(0));
    const text = (value) => head + (/\d/.test(low) ? value : String.fromCharCode(value));
    return Array.from({ length: Math.max(code(high) - code(low), 0) }, (_, i) => text(code(low) + i + 1));
  }

  // The keys in a text, those of them behind another word, and the other words; " 5.2" is a number of any kind, "(24)"
  // alone an equation, and "6a" is 6 and its panel a.
  function keysOf(said) {
    const keys = [], mentioned = [], others = [];
    let found = keys, kind = "", base = "", last = "", count = 0, to = false;
    const close = () => { if (kind && !count) others.push(kind); };
    const add = (number) => {
      found.push(...(to && last ? between(last, number) : [number]).map((each) => `${kind} ${each}`));
      last = number;
      count += 1;
    };
    for (const word of said) {
      const number = bare(numeral(kind, word));
      const [, whole, panel] = (kind === "figure" && number.match(/^([\d.]+)([a-h])$/)) || [];
      if (KINDS.has(word)) {
        close();
        [kind, base, last, count] = [word, "", "", 0];
      } else if (number) {
        if (!kind && word.startsWith("(")) kind = "equation";
        if (panel && whole !== base) found.push(`figure ${whole}`);
        add(number);
        base = whole ?? number;
      } else if (base && kind === "figure" && /^[a-h]$/.test(word)) add(base + word);
      else if (!JOINING.has(word)) {
        found = mentioned;
        if (!SILENT.has(word)) {
          close();
          others.push(word);
          [kind, base, last] = ["", "", ""];
        }
      }
      to = word === "to";
    }
    close();
    return { keys, mentioned, others };
  }

  // What one may ask for a result by, the nearest first: its number; what it covers besides; the book's own number; those
  // of the conference version; of what it is a part; what its name mentions.
  function keysOfResult({ number, covers, own, conference, paper }) {
    const of = (texts) => texts.flatMap((text) => keysOf(read(text)).keys).filter((key) => !key.startsWith(" "));
    const named = of([number]), mentioned = keysOf(read(number)).mentioned.filter((key) => !key.startsWith(" "));
    if (paper === "hdp") return [[], [], of([own]), [], [], [...named, ...mentioned]]; // its name says items of papers
    const covered = of(covers), whole = /^(section \w+)(\.\d+|[a-z])$/;
    const part = (key) => !/^(appendix|footnote|line|section|step)/.test(key) && !covered.includes(key);
    const mine = named.filter((key) => !part(key)), sections = mine.filter((key) => whole.test(key));
    const parts = [...named.filter(part), ...sections.map((key) => key.replace(whole, "$1"))];
    return [mine, covered.filter((key) => !named.includes(key)), of([own]), of(conference.split(", ")), parts, mentioned];
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
    const { keys, mentioned, others } = keysOf(said), every = [...keys, ...mentioned];
    // Who asks for a panel does not ask for all of the figure.
    const wanted = every.filter((key) => !every.some((other) => other.startsWith(key) && /^[a-h]$/.test(other.slice(key.length))));
    return { query, whole: same(said), whose: then.length ? then : whose, conference, keys: wanted, others };
  }

  const ends = (known, number) => known.endsWith(number) && !/^(line|step)/.test(known);
  const has = (list, key) => list.includes(key) || (key.startsWith(" ") && list.some((known) => ends(known, key)));
  // What a result's name says, and what its page and its paper's title do; read once.
  for (const result of results) {
    const { number, own, paper, page } = result;
    const around = read(`${pages[page][0]} ${papers[paper].title}`);
    result.keys = keysOfResult(result);
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
  function entry({ number, own, conference, paper, page, address, verdict }) {
    const item = document.createElement("li");
    item.append(element("a", `${number}, ${papers[paper].name}`, { href: address }));
    if (verdict) item.append(element("span", verdict, { className: `verdict verdict-${verdict.replace(/ /g, "-")}` }));
    const where = [own !== number && own && `here ${own}`, conference !== number && conference && `conference: ${conference}`];
    item.append(element("p", [...where, pages[page][0]].filter(Boolean).join(" · "), { className: "hdp-where" }));
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
