// Stands in the head of every page, before the theme's scripts and ours.
(() => {
  "use strict";
  // Where the browser forbids storage, asking for it throws: what the theme remembers is kept until the page is left.
  for (const name of ["localStorage", "sessionStorage"]) {
    try { window[name].getItem(""); } catch {
      const kept = new Map();
      const value = {
        getItem: (key) => kept.get(key) ?? null,
        setItem: (key, text) => { kept.set(key, String(text)); },
        removeItem: (key) => { kept.delete(key); },
        clear: () => kept.clear(),
      };
      Object.defineProperty(window, name, { value });
    }
  }
  // Whether the reader has left the place of the address, or comes back to where she was before.
  window.hdpWentOn = performance.getEntriesByType("navigation")[0]?.type !== "navigate";
  for (const type of ["wheel", "touchmove", "pointerdown", "keydown"])
    addEventListener(type, () => { window.hdpWentOn = true; }, { passive: true, once: true });
  // An address as text; what was broken on its way here, cut off in the middle of a sign say, stays as it is.
  window.hdpDecoded = (address) => address.replace(/(%[\da-f]{2})+/gi, (signs) => {
    try { return decodeURIComponent(signs); } catch { return signs; }
  });
})();
