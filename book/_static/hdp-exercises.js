// The fields of exercises: Python in the page judges what is typed, and hints come one by one.  Loaded by hdp-run.js.
(function () {
  "use strict";
  const { load } = window.hdpCells;
  // Text that Python reads as it stands.
  const literal = (value) => JSON.stringify(JSON.stringify(value));

  async function judge(form, given) {
    let kernel;
    try { kernel = await load(); } catch { return { text: "Python could not be loaded." }; }
    const asked = { ...JSON.parse(form.dataset.task), given, imports: kernel.cells[0].book }; // as the book has them
    const { error, ended, files } = await kernel.ask({
      place: form.querySelector(".hdp-bar"), heard: () => {}, wanted: ["verdict.json"],
      code: `__import__("hdp.proof._judge", fromlist=["write"]).write(${literal(asked)})`,
    });
    if (error) return { text: ended ? error : `This could not be judged: ${error.trim().split("\n").pop()}` };
    return JSON.parse(await files["verdict.json"].text());
  }

  for (const form of document.querySelectorAll(".hdp-exercise")) {
    const { given, hint } = form.elements, verdict = form.querySelector(".hdp-verdict");
    const hints = Array.from(form.querySelectorAll(".hdp-hints > li"));
    let exercise = form, field = 0;
    do exercise = exercise.previousElementSibling, field++; while (exercise.matches(".hdp-exercise"));
    const title = exercise.querySelector(".admonition-title").textContent.trim();
    form.setAttribute("aria-label", `Your answer to ${title}${field > 1 ? `, field ${field}` : ""}`);
    const say = (text, state) => { verdict.textContent = text; form.dataset.verdict = state; };
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      if (form.getAttribute("aria-busy")) return;
      form.setAttribute("aria-busy", "true");
      say("Python judges it …", "");
      const asked = given.value, { right, text } = await judge(form, asked);
      form.removeAttribute("aria-busy");
      if (asked === given.value) say(text, right ? "right" : right === false ? "not-yet" : "unread");
      else say("", "");
    });
    given.addEventListener("input", () => { if (!form.getAttribute("aria-busy")) say("", ""); });
    const label = () => {
      const left = hints.filter((item) => item.hidden).length;
      hint.textContent = left < hints.length ? "Next hint" : "Hint";
      if (left) return;
      if (document.activeElement === hint) given.focus(); // it is about to go
      hint.hidden = true;
    };
    hint.addEventListener("click", () => { hints.find((item) => item.hidden).hidden = false; label(); });
    label();
    form.hidden = false;
  }
})();
