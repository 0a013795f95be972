// Draws the compiled specification of a figure (book/_ext/hdpbook/figures.py) where hdp-figure.js asks vega-embed to
// draw the one in Vega-Lite; whatever else is to be drawn, an image to download, loads vega-embed first.
(function () {
  "use strict";
  const FONT = /font-of-the-page/g;
  const statics = new URL(".", document.currentScript.src);
  let all = null;
  const load = () => (all ??= new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = new URL("vega-embed.js", statics);
    script.onload = () => done(window.vegaEmbedAll);
    script.onerror = () => failed(new Error("vega-embed.js does not load"));
    document.head.append(script);
  }));

  // What the pointer is on, beside it.
  function tooltip(view, format) {
    const box = document.createElement("div");
    box.id = "vg-tooltip-element";
    document.body.append(box);
    view.tooltip((_, event, item, value) => {
      const shown = value !== null && value !== undefined && value !== "";
      box.classList.toggle("visible", shown);
      if (!shown) return;
      box.innerHTML = format(value);
      const { clientX: x, clientY: y } = event, gap = 10;
      const left = x + gap + box.offsetWidth > innerWidth ? x - gap - box.offsetWidth : x + gap;
      const top = y + gap + box.offsetHeight > innerHeight ? y - gap - box.offsetHeight : y + gap;
      Object.assign(box.style, { left: `${Math.max(0, left)}px`, top: `${Math.max(0, top)}px` });
    });
  }

  window.vegaEmbed = async (element, spec, options) => {
    const drawn = element.closest(".hdp-figure")?.querySelector(".hdp-drawn");
    if (!drawn) return (await load())(element, spec, options);
    const font = JSON.stringify(spec.config.font).slice(1, -1);
    // By a function, because in a text to put in its place a dollar would be a command.
    const document = JSON.parse(drawn.textContent.replace(FONT, () => font));
    if (spec.width) document.width = spec.width;
    const view = new window.vega.View(window.vega.parse(document, {}), { renderer: options.renderer, container: element, hover: true });
    if (options.tooltip) tooltip(view, options.tooltip.formatTooltip);
    await view.runAsync();
    return { view };
  };
})();
