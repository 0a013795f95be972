// Brings the figures of a page to life: no kernel, no network.
// hdp/explore/html.py writes the markup and the Vega-Lite specification; vega.js (written at build time) draws.
(function () {
  "use strict";

  // The rule of `number` in hdp/explore/style.py, which writes the numbers that stand here before the script runs.
  const format = (value) => {
    if (!Number.isFinite(value)) return String(value);
    const whole = Number.isInteger(value) && Math.abs(value) < 1e9;
    const rounded = whole ? value : Number(value.toPrecision(4));
    if (rounded !== 0 && !(1e-4 <= Math.abs(rounded) && Math.abs(rounded) < 1e9)) return rounded.toExponential();
    return (rounded + 0).toLocaleString("en-US", { maximumFractionDigits: 7 });
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

  // It may have lines; and a horizontal rule has no x, so the first layer with the channel tells.
  const title = (spec, channel) =>
    [spec.layer.find((layer) => layer.encoding[channel]?.title).encoding[channel].title].flat().join(" ");

  // One row a cell of a heatmap (x, y, z), then one row a sample point of the curves (x, every curve by its label).
  function csv(view, spec) {
    const cells = spec.layer.find((layer) => layer.encoding.fill);
    const curves = spec.layer.filter((layer) => layer.encoding.color && /^y\d+$/.test(layer.encoding.y?.field));
    const fields = curves.map((layer) => layer.encoding.y.field), labels = curves.map((layer) => layer.encoding.color.datum);
    const count = (label, list) => list.filter((other) => other === label).length;
    const name = (label, i) => label + (count(label, labels) > 1 ? " " + count(label, labels.slice(0, i + 1)) : "");
    const titles = ["x", ...(cells ? ["y", "fill"] : [])].map((channel) => title(spec, channel));
    const quote = (text) => '"' + String(text).replace(/"/g, '""') + '"';
    const table = (data, columns) => view.data(data).map((row) => columns.map((c) => row[c] ?? "").join(","));
    const lines = [[...titles, ...labels.map(name)].map(quote).join(",")];
    if (cells) lines.push(...table("cells", ["x", "y", "z", ...fields]));
    if (fields.length) lines.push(...table("samples", ["x", ...(cells ? ["", ""] : []), ...fields]));
    return lines.join("\n") + "\n";
  }

  // What the pointer is on: the axes' titles with the numbers of the cell.
  const tooltip = (spec) => ({
    formatTooltip: (cell) => {
      const table = document.createElement("table");
      for (const [channel, value] of [["x", cell.x], ["y", cell.y], ["fill", cell.z]]) {
        const row = table.insertRow();
        row.insertCell().textContent = title(spec, channel);
        row.insertCell().textContent = value === null ? "not defined" : format(value);
      }
      return table.outerHTML;
    },
  });

  // The figure as it stands, with a legend of its own: that of the page is outside the drawing.
  async function image(view, spec, font) {
    const still = structuredClone(spec), options = { actions: false, renderer: "svg" };
    still.params.forEach((param) => {
      delete param.bind;
      if ("value" in param) param.value = view.signal(param.name);
    });
    delete still.title;
    Object.assign(still, { width: view.width(), height: view.height(), autosize: { type: "pad" } });
    still.config.font = font;
    const drawn = await window.vegaEmbed(document.createElement("div"), still, options);
    const text = await drawn.view.toSVG();
    drawn.finalize();
    return text;
  }

  function downloads(figure, view, spec, font) {
    const make = {
      svg: async () => [(await image(view, spec, font)).replace(/currentColor/g, "#222").replace(/class="mark-rect/g, 'shape-rendering="crispEdges" $&'), "image/svg+xml"],
      csv: async () => [csv(view, spec), "text/csv"],
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
    const live = figure.querySelectorAll(".hdp-legend, .hdp-controls");
    const spec = JSON.parse(figure.querySelector(".hdp-spec").textContent);
    const shown = structuredClone(spec);
    shown.params.forEach((param) => delete param.bind); // the page has its own, labelled sliders
    delete shown.title; // the heading above the figure says it
    for (const { encoding } of shown.layer) // the page has its own, whose names wrap
      for (const channel of ["color", "strokeDash", "fill"]) if (encoding[channel]) encoding[channel].legend = null;
    const font = shown.config.font = getComputedStyle(figure).fontFamily; // named, because Vega measures text on a canvas
    await document.fonts.load("12px " + font).catch(() => {}); // a canvas does not wait; without it, with another font
    chart.hidden = false;
    shown.width = chart.clientWidth;
    try {
      const { view } = await window.vegaEmbed(chart, shown, { actions: false, renderer: "svg", tooltip: spec.layer[0].encoding.fill ? tooltip(spec) : false });
      live.forEach((part) => { part.hidden = false; });
      figure.querySelector(".hdp-picture").hidden = true;
      await controls(figure, view);
      downloads(figure, view, spec, font);
      // From the same height and one fit after the other, so that the drawing is the same whatever was before.
      const fit = async () => {
        await view.signal("width", chart.clientWidth).signal("height", shown.height).runAsync();
        for (let k = 0; k < 2; k++) await view.resize().runAsync();
      };
      await (figure.fitted = fit());
      // Vega's own "container" listens to the window, which tells before the page has settled.
      let width = chart.clientWidth;
      new ResizeObserver(() => {
        if (chart.clientWidth === width) return;
        width = chart.clientWidth;
        figure.fitted = figure.fitted.then(fit);
      }).observe(chart);
      figure.view = view;
      figure.dataset.ready = "true";
    } catch (error) { // back to the picture
      chart.hidden = true;
      live.forEach((part) => { part.hidden = true; });
      figure.querySelector(".hdp-picture").hidden = false;
      console.error("figure " + figure.dataset.name, error);
    }
  }

  document.querySelectorAll(".hdp-figure").forEach(boot);
})();
