// Brings the figures of a page to life: no kernel, no network.
// hdp/explore/html.py writes the markup and the Vega-Lite specification; vega.js (written at build time) draws.
(function () {
  "use strict";
  const statics = new URL(".", document.currentScript.src);

  // The rule of `number` in hdp/_number.py, which writes the numbers that stand here before the script runs.
  const format = (value) => {
    const whole = Number.isInteger(value) && Math.abs(value) < 1e9;
    const near = (digits) => { // one more digit where it would stand on a whole number that it only comes near
      const rounded = Number(value.toPrecision(digits));
      return Number.isInteger(rounded) && rounded !== 0 && Math.abs(rounded) <= 100 && digits < 8 ? near(digits + 1) : rounded;
    };
    const rounded = whole ? value : near(4);
    if (!Number.isFinite(rounded)) return Number.isNaN(value) ? "NaN" : value > 0 ? "∞" : "−∞"; // also of what rounds to more than a number holds
    if (rounded !== 0 && !(1e-4 <= Math.abs(rounded) && Math.abs(rounded) < 1e9)) {
      const [digits, power] = rounded.toExponential().split("e");
      const lead = { 1: "", "-1": "-" }[digits] ?? digits + "·";
      return lead + "10" + power.replace("+", "").replace("-", "⁻").replace(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]);
    }
    // −0 would be written with its sign; −0 + 0 is 0.
    return (rounded + 0).toLocaleString("en-US", { maximumFractionDigits: 7 });
  };

  const isSwitch = (control) => control.type === "checkbox";
  const stands = (control) => (isSwitch(control) ? Number(control.checked) : Number(control.value));

  // What stands for nobody is not shown; of a list, its later entries are not.
  const needed = (figure, value) => figure.querySelectorAll("[data-needs]").forEach((part) => {
    const [name, least] = JSON.parse(part.dataset.needs);
    part.hidden = part.disabled = value(name) < least;
  });

  // `typed` are the fields that were changed while the figure slept, with what was typed.
  function controls(figure, view, typed) {
    const sliders = Array.from(figure.querySelectorAll("input[data-parameter], select[data-parameter]")); // and switches
    const positions = new Map(sliders.map((s) => [s, JSON.parse(s.dataset.positions)]));

    const apply = (slider) => {
      const value = positions.get(slider)[stands(slider)];
      if (isSwitch(slider)) slider.nextElementSibling.value = value ? "yes" : "no";
      else if (slider.type === "range") {
        slider.setAttribute("aria-valuetext", format(value));
        slider.nextElementSibling.value = format(value);
      }
      view.signal(slider.dataset.parameter, value);
    };
    const readouts = () =>
      figure.querySelectorAll("[data-readout]").forEach((output) => {
        const value = view.signal(output.dataset.readout), { names, infinite } = output.dataset;
        output.value = names ? JSON.parse(names)[value - 1] : infinite && value === Infinity ? infinite : format(value);
      });
    const draw = () => (figure.drawing = view.runAsync().then(() => hold(figure, view)).then(readouts).then(() => needed(figure, (name) => view.signal(name))).then(() => explain(figure, view)).then(() => figure.placed?.()));
    const set = (values) => {
      sliders.forEach((slider) => {
        if (!(slider.dataset.parameter in values)) return;
        const places = positions.get(slider), value = values[slider.dataset.parameter];
        const distance = places.map((place) => Math.abs(place - value));
        const place = distance.indexOf(Math.min(...distance));
        if (isSwitch(slider)) slider.checked = place === 1;
        else slider.value = place;
        apply(slider);
      });
      return draw();
    };
    figure.moveTo = (values) => { const drawn = set(values); remember(figure, sliders, positions); return drawn; };

    sliders.forEach((slider) => slider.addEventListener("input", () => {
      apply(slider);
      draw();
      remember(figure, sliders, positions);
    }));
    figure.querySelectorAll(".hdp-typed").forEach((typed) => typed.addEventListener("change", () => {
      const slider = typed.previousElementSibling; // what is no number leaves it where it is
      figure.moveTo(Number.isFinite(typed.valueAsNumber) ? { [slider.dataset.parameter]: typed.valueAsNumber } : {});
      apply(slider);
    }));
    figure.querySelectorAll("button[data-values]").forEach((button) =>
      button.addEventListener("click", () => figure.moveTo(JSON.parse(button.dataset.values)))
    );
    // A browser that restores the sliders of a page it has shown before must not leave them out of step. The field in
    // which somebody writes is left alone: written anew, it would lose the text, and the event of its change.
    sliders.filter(({ nextElementSibling: field }) => field !== document.activeElement || typed.has(field)).forEach(apply);
    const asked = address(figure);
    if (asked) figure.querySelectorAll(".hdp-more").forEach((more) => { more.open = true; });
    set(asked ?? {});
    typed.forEach((value, field) => {
      field.value = value;
      field.dispatchEvent(new Event("change"));
    });
    return figure.drawing;
  }

  // The state of a figure is in the address, #figure-name?parameter=value: what is not the default.
  function address(figure) {
    const [id, query] = window.hdpDecoded(location.hash.slice(1)).split("?");
    if (id !== figure.id || !query) return null;
    return Object.fromEntries(Array.from(new URLSearchParams(query), ([name, value]) => [name, Number(value)])
      .filter(([_, value]) => Number.isFinite(value)));
  }

  let waiting;
  function remember(figure, sliders, positions) {
    clearTimeout(waiting); // a browser counts changes of the address
    waiting = setTimeout(() => {
      const home = JSON.parse(figure.querySelector(".hdp-reset").dataset.values);
      const query = new URLSearchParams();
      for (const slider of sliders) {
        const value = positions.get(slider)[stands(slider)];
        if (value !== home[slider.dataset.parameter]) query.set(slider.dataset.parameter, value);
      }
      history.replaceState(history.state, "", "#" + figure.id + (query.size ? "?" + query : ""));
    }, 300);
  }

  // The vertical range holds still until what is drawn leaves it, or fills too little of it: the rule of hdp/explore/frame.py.
  const TINY = 1 / 8;
  function rounded(log, ends) {
    const [least, most] = log ? ends.map(Math.log10) : ends;
    const span = most - least || (log ? 1 : Math.abs(least)) || 1;
    const power = 10 ** Math.floor(Math.log10(span / 4));
    const step = log ? (span > 2 ? 1 : 0.25) : power * [1, 2, 5, 10].find((m) => m * power >= span / 4 * (1 - 1e-9));
    let low = Math.floor(least / step + 1e-9) * step, high = Math.ceil(most / step - 1e-9) * step;
    if (!(low < high)) [low, high] = [low - step, high + step];
    return [low, high].map((end) => Number((log ? 10 ** end : end).toPrecision(9)));
  }

  function drawn(figure, view, log) {
    const ends = (values) => {
      let low = Infinity, high = -Infinity;
      for (const value of values) {
        if (typeof value !== "number" || !Number.isFinite(value) || (log && value <= 0)) continue;
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
      return low <= high ? [low, high] : null;
    };
    const rows = view.data("samples"), fields = Object.keys(rows[0]).filter((key) => /^y\d+$/.test(key));
    const curves = fields.map((field) => ends(rows.map((row) => row[field]))).filter(Boolean).flat(), others = [];
    for (let k = 0; k < figure.layers; k++) // rules and markers have data of their own, one row
      for (const item of view.data(`layer_${k}_marks`)) if (item.datum && !("i" in item.datum || "low" in item.datum)) others.push(item.datum.y);
    if (figure.querySelector(".hdp-play")) others.push(0); // dots fill what lies below a curve
    return ends([...curves, ...others]);
  }

  async function hold(figure, view) {
    if (!figure.dataset.frame) return;
    const [scale, ...home] = JSON.parse(figure.dataset.frame), log = scale === "log";
    const ends = drawn(figure, view, log);
    let range = home;
    if (ends) {
      const [low, high] = log ? home.map(Math.log10) : home, [least, most] = log ? ends.map(Math.log10) : ends;
      const span = high - low, inside = low - 1e-9 * span <= least && most <= high + 1e-9 * span;
      if (!inside || most - least < TINY * span) range = rounded(log, ends);
    }
    if (range[0] === view.signal("y_low") && range[1] === view.signal("y_high")) return;
    figure.querySelector(".hdp-announced").textContent = `The vertical axis now runs from ${format(range[0])} to ${format(range[1])}.`;
    await view.signal("y_low", range[0]).signal("y_high", range[1]).runAsync();
  }

  // Why nothing is drawn stands in the picture; here it is said.
  function explain(figure, view) {
    const said = figure.notes.filter(([_, marks]) => view.data(marks)?.length).map(([text]) => text).join(" ");
    const announced = figure.querySelector(".hdp-announced");
    if (said || figure.explained) announced.textContent = said;
    announced.classList.toggle("visually-hidden", Boolean(said));
    figure.explained = said;
  }

  // Bars or notes of the specification: what each says, and the data set of its mark.
  const told = (spec, what) => spec.layer.flatMap(({ data, mark }, k) =>
    what in (data?.values?.[0] ?? {}) && (mark.type === "text") === (what === "note") ? [[data.values[0][what], `layer_${k}_marks`]] : []);

  // Curves by the field of their numbers and their name; where a curve may jump, its line has a field of its own.
  const curvesOf = (spec) => spec.layer
    .filter((layer) => layer.encoding.color && /^(y|line)\d+$/.test(layer.encoding.y?.field))
    .map((layer) => [layer.encoding.y.field.replace("line", "y"), layer.encoding.color.datum])
    .sort(([a], [b]) => a.slice(1) - b.slice(1)); // as the legend has them: drawn are the widest first

  // A line that follows the pointer or the arrow keys, with the values of all curves there; and rules that can be dragged.
  function cursor(figure, view, spec) {
    const part = figure.querySelector(".hdp-cursor");
    if (!part) return () => {};
    const line = part.querySelector(".hdp-line"), box = part.querySelector(".hdp-values");
    const curves = curvesOf(spec);
    const drags = JSON.parse(part.dataset.drags), last = Number(part.getAttribute("aria-valuemax"));
    let index = Math.round(last / 2), dragged = null;

    const place = () => { // over the plotting area, not the axes
      const svg = figure.querySelector(".hdp-chart svg"), [left, top] = view.origin();
      const shift = svg.getBoundingClientRect(), stage = part.parentElement.getBoundingClientRect();
      const padding = view.padding();
      Object.assign(part.style, {
        left: shift.left - stage.left + left + (padding.left ?? 0) + "px", top: shift.top - stage.top + top + (padding.top ?? 0) + "px",
        width: view.width() + "px", height: view.height() + "px",
      });
    };
    const show = () => {
      const row = view.data("samples")[index], x = view.scale("x")(row.x);
      const values = curves.map(([field, label]) => [label, row[field]]).filter(([_, value]) => typeof value === "number");
      line.style.left = x + "px";
      box.style.left = x + "px";
      box.classList.toggle("left", x > view.width() / 2);
      const lines = [[title(spec, "x"), row.x], ...values].map(([label, value]) => {
        const item = document.createElement("p"), number = document.createElement("b");
        number.textContent = format(value);
        item.append(label + " ", number);
        return item;
      });
      box.replaceChildren(...lines);
      part.setAttribute("aria-valuenow", index);
      part.setAttribute("aria-valuetext", lines.map((item) => item.textContent).join("; "));
      part.classList.add("shown");
    };
    const hide = () => { if (document.activeElement !== part) part.classList.remove("shown"); };
    const at = (event) => {
      const frame = part.getBoundingClientRect();
      return { x: event.clientX - frame.left, y: event.clientY - frame.top };
    };
    const nearest = (pixel) => {
      const x = view.scale("x"), rows = view.data("samples");
      let best = 0;
      rows.forEach((row, i) => { if (Math.abs(x(row.x) - pixel) < Math.abs(x(rows[best].x) - pixel)) best = i; });
      return best;
    };
    const grip = (point) => drags.find(({ parameter, axis }) =>
      Math.abs(view.scale(axis)(view.signal(parameter)) - point[axis]) < 14);
    part.addEventListener("pointermove", (event) => {
      const point = at(event);
      if (dragged) return figure.moveTo({ [dragged.parameter]: view.scale(dragged.axis).invert(point[dragged.axis]) });
      const over = grip(point);
      part.style.cursor = over ? (over.axis === "x" ? "ew-resize" : "ns-resize") : "";
      index = nearest(point.x);
      show();
    });
    part.addEventListener("pointerdown", (event) => {
      dragged = grip(at(event));
      if (dragged) { part.setPointerCapture(event.pointerId); event.preventDefault(); }
    });
    part.addEventListener("pointerup", () => { dragged = null; });
    part.addEventListener("pointerleave", hide);
    part.addEventListener("focus", () => { if (part.matches(":focus-visible")) show(); });
    part.addEventListener("blur", () => part.classList.remove("shown"));
    part.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10, Home: -last, End: last }[event.key];
      if (!step) return event.key === "Escape" && part.classList.remove("shown");
      event.preventDefault();
      index = Math.min(last, Math.max(0, index + step));
      show();
    });
    part.hidden = false;
    return place;
  }

  // The upper ends of boxes are pulled; a finger that begins there does not scroll the page.
  function grips(figure, view, spec) {
    const mark = ({ dataset }) => `layer_${spec.layer.findIndex(({ data }) => data?.values?.[0]?.pulls === dataset.parameter)}_marks`;
    const parts = Array.from(figure.querySelectorAll(".hdp-grip"));
    const place = () => parts.forEach((part) => {
      const box = view.data(mark(part))?.[0]?.datum, svg = figure.querySelector(".hdp-chart svg").getBoundingClientRect();
      part.hidden = !box;
      if (!box) return;
      const stage = part.parentElement.getBoundingClientRect(), [left, top] = view.origin();
      const x = view.scale("x"), y = view.scale("y"), padding = view.padding();
      Object.assign(part.style, {
        left: svg.left - stage.left + left + (padding.left ?? 0) + x(box.x) + "px",
        top: svg.top - stage.top + top + (padding.top ?? 0) + y(box.y2) + "px",
        width: x(box.x2) - x(box.x) + "px",
      });
    });
    for (const part of parts) {
      part.addEventListener("pointerdown", (event) => { part.setPointerCapture(event.pointerId); event.preventDefault(); });
      part.addEventListener("pointermove", (event) => {
        if (!part.hasPointerCapture(event.pointerId)) return;
        const svg = figure.querySelector(".hdp-chart svg").getBoundingClientRect();
        const pixel = event.clientY - svg.top - view.origin()[1] - (view.padding().top ?? 0);
        figure.moveTo({ [part.dataset.parameter]: view.scale("y").invert(pixel) }).then(place);
      });
    }
    return place;
  }

  // Noise is drawn one sample after the other while the figure is in view; it can be paused, and stands still for those
  // who asked for less motion until they press the button.
  function play(figure, view) {
    const button = figure.querySelector(".hdp-play");
    if (!button) return;
    const count = Number(button.dataset.count);
    let timer = null, chosen = false;
    const say = () => { button.textContent = timer ? "Pause" : view.signal("drawn") >= count ? "Draw again" : "Draw more"; };
    const stop = () => { clearInterval(timer); timer = null; say(); };
    const start = () => {
      if (view.signal("drawn") >= count) view.signal("drawn", 0);
      timer ??= setInterval(() => {
        view.signal("drawn", Math.min(count, view.signal("drawn") + 1)).runAsync();
        if (view.signal("drawn") >= count) stop();
      }, 60);
      say();
    };
    button.addEventListener("click", () => { chosen = true; timer ? stop() : start(); });
    if (window.matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    new IntersectionObserver(([entry]) => {
      if (chosen) return;
      if (entry.isIntersecting && view.signal("drawn") < count) start(); else stop();
    }).observe(figure.querySelector(".hdp-chart"));
  }

  // It may have lines; and a horizontal rule has no x, so the first layer with the channel tells.
  const title = (spec, channel) =>
    [spec.layer.find((layer) => layer.encoding[channel]?.title).encoding[channel].title].flat().join(" ");

  const quote = (text) => '"' + String(text).replace(/"/g, '""') + '"';

  // One row a bar; or one row a cell of a heatmap (x, y, z), then one row a sample point of the curves (x, every curve
  // by its label).
  function csv(view, spec) {
    const bars = told(spec, "bar");
    if (bars.length) {
      const rows = bars.map(([name, marks]) => `${quote(name)},${view.data(marks)[0].datum.x}`);
      return [[title(spec, "y"), title(spec, "x")].map(quote).join(","), ...rows].join("\n") + "\n";
    }
    const cells = spec.layer.find((layer) => layer.encoding.fill);
    const curves = curvesOf(spec), fields = curves.map(([field]) => field), labels = curves.map(([_, label]) => label);
    const count = (label, list) => list.filter((other) => other === label).length;
    const name = (label, i) => label + (count(label, labels) > 1 ? " " + count(label, labels.slice(0, i + 1)) : "");
    const titles = ["x", ...(cells ? ["y", "fill"] : [])].map((channel) => title(spec, channel));
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
    const still = structuredClone(spec);
    still.params.forEach((param) => {
      delete param.bind;
      if ("value" in param) param.value = view.signal(param.name);
    });
    delete still.title;
    Object.assign(still, { width: view.width(), height: view.height(), autosize: { type: "pad" } });
    still.config.font = font;
    const options = { actions: false, renderer: "svg", tooltip: false, defaultStyle: false }; // no style sheets for the page
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

  async function boot(figure, typed = new Map()) {
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
      figure.querySelector(".hdp-still")?.remove();
      figure.layers = spec.layer.length;
      figure.notes = told(spec, "note");
      await controls(figure, view, typed);
      downloads(figure, view, spec, font);
      const read = cursor(figure, view, spec), pull = grips(figure, view, spec), place = () => { read(); pull(); };
      figure.placed = pull;
      play(figure, view);
      // From one height, one fit after the other: the drawing is the same whatever was before.
      const lay = async (height) => {
        await view.signal("width", chart.clientWidth).signal("height", height).runAsync();
        for (let k = 0; k < 2; k++) await view.resize().runAsync();
      };
      const fit = async () => {
        await lay(shown.height);
        if ("equal" in figure.dataset) { // one unit is as long upwards as sideways
          const [wide, high] = ["x", "y"].map((axis) => view.scale(axis).domain()).map(([low, high]) => high - low);
          await lay(shown.height + view.width() * high / wide - view.height());
        }
        place();
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
      // Formulas that are set later push the figure down.
      if (address(figure)) (window.MathJax?.startup?.promise ?? Promise.resolve()).then(() => figure.scrollIntoView());
    } catch (error) { // back to the picture
      chart.hidden = true;
      figure.querySelector(".hdp-still")?.remove();
      live.forEach((part) => { part.hidden = true; });
      figure.querySelector(".hdp-picture").hidden = false;
      console.error("figure " + figure.dataset.name, error);
    }
  }

  const load = (source, place) => new Promise((done, failed) => {
    const script = document.createElement("script");
    Object.assign(script, { src: source, onload: done, onerror: () => failed(new Error(source + " does not load")) });
    place.append(script);
  });

  // A figure of the first page sleeps behind a drawing of itself, with all its controls, until somebody points at it,
  // touches it or comes to it by keyboard, or an address asks for a state of it.
  function sleep(figure, still) {
    const missed = [], typed = new Map();
    const note = ({ type, target }) => {
      if (type === "change" && target.matches(".hdp-typed")) typed.set(target, target.value);
      if (type === "click" && target.matches("button")) missed.push(target);
    };
    let woken = null;
    figure.querySelector(".hdp-stage").append(still);
    figure.querySelectorAll(".hdp-still, .hdp-legend, .hdp-controls").forEach((part) => { part.hidden = false; });
    figure.querySelector(".hdp-picture").hidden = true;
    needed(figure, (name) => {
      const slider = figure.querySelector(`[data-parameter="${name}"]:is(input, select)`);
      return JSON.parse(slider.dataset.positions)[stands(slider)];
    });
    const wake = async () => {
      await load(new URL("vega.js", statics), document.head);
      await Promise.all([load(new URL("hdp-draw.js", statics), document.head), load(still.dataset.script, figure)]);
      await boot(figure, typed);
      for (const type of ["click", "change"]) figure.removeEventListener(type, note);
      missed.filter((button) => button.textContent !== "Pause").forEach((button) => button.click());
    };
    figure.wake = () => (woken ??= wake());
    for (const type of ["click", "change"]) figure.addEventListener(type, note); // what is asked for meanwhile
    for (const type of ["pointerover", "focusin", "input"]) figure.addEventListener(type, figure.wake, { once: true });
    if (address(figure)) figure.wake();
  }

  document.querySelectorAll(".hdp-figure").forEach((figure) => {
    const still = figure.querySelector(".hdp-still");
    if (still) sleep(figure, still); else boot(figure);
  });
  window.hdpFigure = boot; // for figures that come later: hdp-kernel.js
})();
