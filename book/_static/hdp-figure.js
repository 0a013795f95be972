// Brings the figures of a page to life: no kernel, no network.
// hdp/explore/html.py writes the markup and the Vega-Lite specification; vega.js (written at build time) draws.
(function () {
  "use strict";

  const format = (value) => {
    if (Number.isInteger(value) && Math.abs(value) < 1e9) return value.toLocaleString("en-US");
    if (!Number.isFinite(value)) return String(value);
    const text = Number(value.toPrecision(4));
    return Math.abs(text) < 1e-4 && text !== 0 ? text.toExponential() : String(text);
  };

  function controls(figure, view) {
    const sliders = Array.from(figure.querySelectorAll("input[type=range]"));
    const positions = new Map(sliders.map((s) => [s, JSON.parse(s.dataset.positions)]));

    const apply = (slider) => {
      const value = positions.get(slider)[Number(slider.value)];
      slider.setAttribute("aria-valuetext", format(value));
      slider.nextElementSibling.value = format(value);
      view.signal(slider.dataset.parameter, value);
    };
    const readouts = () =>
      figure.querySelectorAll("[data-readout]").forEach((output) => {
        output.value = format(view.signal(output.dataset.readout));
      });
    const draw = () => view.runAsync().then(readouts);

    sliders.forEach((slider) => slider.addEventListener("input", () => { apply(slider); draw(); }));
    figure.querySelectorAll("button[data-values]").forEach((button) =>
      button.addEventListener("click", () => {
        const values = JSON.parse(button.dataset.values);
        sliders.forEach((slider) => {
          slider.value = positions.get(slider).indexOf(values[slider.dataset.parameter]);
          apply(slider);
        });
        draw();
      })
    );
    // A browser that restores the sliders of a page it has shown before must not leave them out of step.
    sliders.forEach(apply);
    return draw();
  }

  // One row a sample point: the horizontal position and every curve, named by its label.
  function csv(view, labels) {
    const rows = view.data("samples");
    const fields = Object.keys(rows[0]).filter((key) => /^y\d+$/.test(key));
    const quote = (text) => '"' + String(text).replace(/"/g, '""') + '"';
    const repeated = (f) => fields.filter((g) => labels[g] === labels[f]);
    const name = (f) => labels[f] + (repeated(f).length > 1 ? " " + (repeated(f).indexOf(f) + 1) : "");
    const head = [labels.x, ...fields.map(name)].map(quote).join(",");
    return [head, ...rows.map((row) => [row.x, ...fields.map((f) => row[f] ?? "")].join(","))].join("\n") + "\n";
  }

  function downloads(figure, view, spec) {
    const labels = { x: spec.layer[0].encoding.x.title };
    spec.layer.forEach((layer) => {
      const field = layer.encoding.y && layer.encoding.y.field;
      if (/^y\d+$/.test(field)) labels[field] = layer.encoding.color.datum;
    });
    const make = {
      svg: async () => [(await view.toSVG()).replace(/currentColor/g, "#222"), "image/svg+xml"],
      csv: async () => [csv(view, labels), "text/csv"],
      json: async () => [JSON.stringify(spec, null, 2), "application/json"],
    };
    figure.querySelectorAll("button[data-download]").forEach((button) =>
      button.addEventListener("click", async () => {
        const kind = button.dataset.download;
        const [text, type] = await make[kind]();
        const link = document.createElement("a");
        link.href = URL.createObjectURL(new Blob([text], { type }));
        link.download = figure.dataset.name + "." + kind;
        link.click();
        URL.revokeObjectURL(link.href);
      })
    );
  }

  async function boot(figure) {
    const chart = figure.querySelector(".hdp-chart");
    const spec = JSON.parse(figure.querySelector(".hdp-spec").textContent);
    const shown = structuredClone(spec);
    shown.params.forEach((param) => delete param.bind); // the page has its own, labelled sliders
    delete shown.title; // the heading above the figure says it
    chart.hidden = false;
    shown.width = chart.clientWidth;
    shown.config.font = getComputedStyle(chart).fontFamily; // named, because Vega measures text on a canvas
    try {
      const { view } = await window.vegaEmbed(chart, shown, { actions: false, renderer: "svg", tooltip: false });
      figure.querySelector(".hdp-controls").hidden = false;
      figure.querySelector(".hdp-picture").hidden = true;
      await controls(figure, view);
      downloads(figure, view, spec);
      // Vega's own "container" listens to the window, which tells before the page has settled.
      new ResizeObserver(() => view.signal("width", chart.clientWidth).runAsync()).observe(chart);
      figure.view = view;
      figure.dataset.ready = "true";
    } catch (error) { // back to the picture
      chart.hidden = figure.querySelector(".hdp-controls").hidden = true;
      figure.querySelector(".hdp-picture").hidden = false;
      console.error("figure " + figure.dataset.name, error);
    }
  }

  document.querySelectorAll(".hdp-figure").forEach(boot);
})();
