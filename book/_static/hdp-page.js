// What every page needs besides its figures: parts that fold in the sidebar, a cue where something scrolls, and print.
(function () {
  "use strict";
  const statics = new URL(".", document.currentScript.src);

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
  const current = document.querySelector(".bd-links .current.active, .bd-links li.current");
  const sidebar = document.querySelector(".bd-sidebar-primary");
  if (current && sidebar && current.getBoundingClientRect().bottom > sidebar.clientHeight)
    sidebar.scrollTop += current.getBoundingClientRect().top - sidebar.clientHeight / 2;

  // A wide formula or table scrolls, and fades where there is more of it.
  const WIDE = "div.math, .hdp-formula, .hdp-table, .pst-scrollable-table-container, dl.strip > dd";
  const cue = (part) => {
    const over = part.scrollWidth - part.clientWidth;
    part.classList.toggle("hdp-more-left", over > 1 && part.scrollLeft > 1);
    part.classList.toggle("hdp-more-right", over > 1 && part.scrollLeft < over - 1);
    if (over > 1) part.tabIndex = 0; else part.removeAttribute("tabindex");
  };
  const look = () => document.querySelectorAll(WIDE).forEach(cue);
  document.addEventListener("scroll", (event) => { if (event.target.matches?.(WIDE)) cue(event.target); }, true);
  addEventListener("resize", look);
  document.addEventListener("toggle", look, true);
  const set = () => (window.MathJax?.startup?.promise ?? Promise.resolve()).then(look);
  if (document.readyState === "complete") set(); else addEventListener("load", set);

  // Print shows what is folded; an address may name a place inside a fold.
  addEventListener("beforeprint", () =>
    document.querySelectorAll("details:not([open])").forEach((fold) => { fold.open = true; fold.dataset.printed = ""; }));
  addEventListener("afterprint", () =>
    document.querySelectorAll("details[data-printed]").forEach((fold) => { fold.open = false; delete fold.dataset.printed; }));
  const reveal = () => {
    const place = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!place) return moved();
    for (let fold = place.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    if (place.closest("details")) place.scrollIntoView();
  };
  // An address of a claim that now stands on another page leads there.
  const moved = () => {
    const id = location.hash.slice(1).replace(/^equation-/, "");
    if (!/^[a-z]+-[a-z0-9-]+$/.test(id) || id.startsWith("figure-")) return;
    const script = document.createElement("script");
    script.src = new URL("places.js", statics);
    script.onload = () => {
      const page = window.hdpPlaces[id] && new URL(`../book/${window.hdpPlaces[id]}.html`, statics);
      if (page && page.pathname !== location.pathname) location.replace(page + location.hash);
    };
    document.head.append(script);
  };
  addEventListener("hashchange", reveal);
  reveal();
})();
