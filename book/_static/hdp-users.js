// The page Your own users: reads the form, has the kernel answer it, and shows what came.  Nothing is computed here.
// Loaded by hdp-run.js on that page; Python is loaded at the first question.
(function () {
  "use strict";
  const form = document.querySelector(".hdp-users"), answer = document.querySelector(".hdp-answer");
  const field = (name) => form.elements[name], { make } = window.hdpCells, PATH = "/brought/users.csv";
  form.hidden = false;
  document.querySelector(".hdp-without").remove();

  // ---- groups, which the address keeps; users and values never come into it -------------------------------------------
  const body = form.querySelector("tbody");
  const input = (label, value, type) => {
    const made = make("input", { value, size: 8, inputMode: type });
    made.setAttribute("aria-label", label);
    return made;
  };
  function addGroup([users, budget, trust, records]) {
    const kind = make("select", {}, new Option("curator"), new Option("local"));
    kind.value = trust;
    kind.setAttribute("aria-label", "trust");
    const remove = make("button", { type: "button", className: "hdp-run", textContent: "Remove" });
    const row = make("tr", {}, ...[input("users", users, "numeric"), input("budget", budget, "text"), kind,
      input("records of each", records, "numeric"), remove].map((part) => {
      const place = make("td", {}, part);
      place.dataset.label = part.getAttribute("aria-label") ?? ""; // shown where the head of the table has no room
      return place;
    }));
    const belief = make("small"), [, typed] = row.querySelectorAll("input"), believed = () => {
      const odds = Math.exp(-Math.max(0, Number(typed.value.trim().replace(/^inf$/i, "Infinity"))));
      belief.textContent = odds <= 1 ? ` 50 % becomes ${Number((100 / (1 + odds)).toPrecision(3))} %` : "";
    };
    typed.after(belief); // at most, for who thought both of two values as likely
    typed.addEventListener("input", believed);
    believed();
    remove.addEventListener("click", () => { if (body.rows.length > 1) { row.remove(); field("add").focus(); } });
    body.append(row);
    return row;
  }
  const groups = () => Array.from(body.rows, (row) => Array.from(row.querySelectorAll("input, select"), (part) => part.value.trim()));
  const number = (text) => (/^\s*[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?\s*$/i.test(text) ? Number(text) : text);

  // ---- how a table is laid out: options of the command line, by their names ---------------------------------------------
  const layout = field("layout"), laid = Array.from(layout.querySelectorAll("input, select"));
  const told = () => Object.fromEntries(laid.map((part) => [part.name, part.value.trim()]));
  function lay(columns) {
    layout.hidden = !columns;
    for (const [name, [names, chosen]] of Object.entries(columns ?? {})) {
      field(name).lastElementChild.replaceChildren(...names.map((text) => new Option(text, text)));
      field(name).value = chosen;
    }
  }

  // ---- the question ----------------------------------------------------------------------------------------------------
  let last = null; // what was asked about: { file, name } or { groups }
  const known = () => {
    const of = field("known").value, text = (...names) => names.map((name) => field(name).value.trim());
    const ends = text("low", "high"), interval = ends.every(Boolean) ? { interval: ends } : {};
    return of === "variance" ? { ...interval, variance: text("variance")[0] }
      : of === "prior" ? { ...interval, prior: text("mean", "spread") } : interval;
  };
  const address = () => {
    const pairs = [last?.groups && ["groups", last.groups.map((row) => row.join(",")).join(";")],
      ...Object.entries(known()).map(([name, value]) => [name, String(value)])].filter(Boolean);
    const text = pairs.map(([name, value]) => `${name}=${encodeURIComponent(value).replace(/%2C/g, ",").replace(/%3B/g, ";")}`).join("&");
    history.replaceState(history.state, "", text ? "#" + text : location.pathname + location.search);
  };

  const doing = form.querySelector(".hdp-doing"), bar = form.querySelector("progress"), refused = form.querySelector(".hdp-refused");
  const heard = ({ text, part }) => {
    if (part === undefined) doing.textContent = text.trim();
    bar.hidden = part === undefined;
    if (part !== undefined) bar.value = part;
  };
  const literal = (value) => JSON.stringify(JSON.stringify(value)); // text that Python reads as it stands
  function refuse(text) {
    refused.textContent = text;
    refused.hidden = false;
    refused.focus();
  }
  let pending = 0; // questions wait for one another: what is shown while they are answered goes with the last
  async function put(question) {
    let kernel;
    refused.hidden = true;
    try { kernel = await window.hdpCells.load(); } catch { return { error: "Python could not be loaded.", ended: true }; }
    pending += 1;
    field("stop").hidden = false;
    form.setAttribute("aria-busy", "true");
    try { return await kernel.ask({ place: doing.parentElement, heard, ...question }); } finally {
      bar.hidden = true;
      doing.textContent = "";
      if (!(pending -= 1)) {
        form.removeAttribute("aria-busy");
        field("stop").hidden = true;
      }
    }
  }

  // Whether two sources are one table: by what they hold, for every paste has one name, and so have many files.
  async function alike(one, other) {
    if (one.file === other?.file) return one.name === other?.name;
    if (one.file?.size !== other?.file?.size) return false;
    try {
      const [here, there] = await Promise.all([one.file, other.file].map(async (file) => new Uint8Array(await file.arrayBuffer())));
      return here.every((byte, i) => byte === there[i]);
    } catch { return false; } // the file has changed since
  }

  async function ask(source) {
    const before = last;
    last = source;
    if (!(await alike(source, before))) { // another table, of which nothing is stated
      for (const part of [...laid, ...(before?.file || before?.sample) && !source.sample ? [field("low"), field("high")] : []]) part.value = "";
      lay();
    }
    if (source !== last) return;
    answer.hidden = true;
    address();
    const { file, name, sample } = source;
    const asked = { ...known(), ...(source.groups ? { groups: source.groups.map(([users, budget, trust, records]) => [number(users), budget, trust, number(records)]) }
      : { path: sample ?? PATH, name, ...told() }) };
    const { error, ended, files } = await put({
      bring: file && { name: "users.csv", file },
      code: `from hdp._cli import page\nasked = page.ask(${literal(asked)})`,
      wanted: ["answer.json"],
    });
    if (source !== last) return;
    field("again").hidden = false;
    if (error) return refuse(ended ? error : error.trim().split("\n").pop());
    const found = JSON.parse(await files["answer.json"].text());
    if (found.columns) lay(found.columns);
    if (found.refused) return refuse(found.refused);
    show(found);
  }

  // ---- the answer, whose numbers Python has written -------------------------------------------------------------------
  const table = (name, heads, rows) => make("div", { className: "hdp-table" }, make("table", { className: "table", ariaLabel: name },
    make("thead", {}, make("tr", {}, ...heads.map((text) => make("th", { scope: "col", textContent: text })))),
    make("tbody", {}, ...rows)));
  const cell = (content, number) => make("td", { className: number ? "number" : "" }, content);
  const barred = (text, part, kind) => {
    const drawn = make("span", { className: `hdp-length ${kind}` }, make("span"));
    drawn.firstChild.style.width = `${100 * Math.min(1, part)}%`;
    drawn.setAttribute("aria-hidden", "true"); // the number beside it says the same
    return make("td", {}, make("span", { className: "hdp-number", textContent: text }), drawn);
  };

  function ranking({ rows, shown }) {
    const usable = rows.filter((row) => !row.obstacle), others = rows.filter((row) => row.obstacle);
    const lines = usable.map((row, i) => make("tr", {}, make("th", { scope: "row", textContent: row.estimator }), cell(shown.rows[i].root, true),
      cell(shown.rows[i].times, true), cell(row.does)));
    const fold = make("details", {}, make("summary", { textContent: others.length > 1 ? `${others.length} estimators do not apply here` : "One estimator does not apply here" }),
      make("ul", {}, ...others.map((row) => make("li", { textContent: `${row.estimator}: ${row.obstacle}` }))));
    return [make("h3", { textContent: "Every estimator, least error first" }),
      make("p", { textContent: `Error: typical error (root mean square) on ${shown.values}, at most.` }),
      table("Every estimator", ["estimator", "error", "× least", "what it does"], lines), ...(others.length ? [fold] : [])];
  }

  function picture(found) {
    const most = Math.max(...found.groups.map((group) => Math.max(group.weight, group.users / found.users)), 1e-300);
    const lines = found.groups.map((group, i) => [group, found.shown.groups[i]]).map(([group, shown]) => make("tr", {},
      make("th", { scope: "row" }, group.epsilon[0] === "inf" ? "public" : `${shown.epsilon} nats, ${group.local ? "local" : "curator"}`,
        make("small", { textContent: ` ${shown.records} record${group.records[1] > 1 ? "s" : ""}` })),
      barred(shown.users, group.users / found.users / most, "users"), barred(shown.weight, group.weight / most, "weight"),
      barred(shown.spent, group.epsilon[1] === "inf" ? 0 : group.share, "spent"), cell(shown.kept, true), cell(shown.belief, true)));
    return [make("h3", { textContent: "Who counts how much, and who keeps what" }),
      make("p", { textContent: "A row for users who are alike.  Bars: their number and their part of the answer, on one scale; and what they spend of what they allow." }),
      table("Groups of users",
        ["they allow", "users", "part of the answer", "each spends", "each keeps", "50 % becomes"], lines),
      make("p", { textContent: found.shown.belief })];
  }

  const offer = (name, label, get) => {
    const made = make("button", { type: "button", className: "hdp-run", textContent: label });
    made.addEventListener("click", async () => {
      const { error, ended, files } = await put({ wanted: [name], ...get });
      if (error) return refuse(ended ? error : "Python no longer knows these users: rank them again.");
      const link = make("a", { href: URL.createObjectURL(files[name]), download: name });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    });
    return made;
  };

  function show(found) {
    const summary = make("p", {}, make("strong", { textContent: `Typical error (root mean square): at most ${found.shown.error}` }),
      ` on ${found.shown.values}. `, found.constant ? "" : `Of its square, ${found.shown.parts}. `,
      `The answer is ${found.shown.interval}. `, found.remark);
    const read = found.read ? [make("p", { className: "hdp-read", textContent: `The table was ${found.read}.` })] : [];
    const lines = (text) => {
      const copy = make("button", { type: "button", className: "hdp-run", textContent: "Copy" });
      copy.addEventListener("click", async () => {
        try { await navigator.clipboard.writeText(text); copy.textContent = "Copied"; } catch { getSelection().selectAllChildren(copy.nextSibling); }
      });
      return make("div", { className: "highlight" }, copy, make("pre", { textContent: text, tabIndex: 0 }));
    };
    answer.replaceChildren(make("h2", { textContent: `${found.users} user${found.users > 1 ? "s" : ""}, ranked` }), ...read, summary, ...ranking(found), ...picture(found),
      make("h3", { textContent: "The same elsewhere, and as files" }),
      ...(found.commands ? [make("p", { textContent: "On the command line the first command plans the same, and the second publishes the mean:" }), lines(found.commands)] : []),
      make("p", { textContent: "In Python:" }), lines(found.call),
      make("p", { className: "hdp-bar" },
        offer("weights.csv", "Save weights.csv", { code: "page.weights(asked)" }), offer("plan.json", "Save plan.json", { code: "asked = asked" }),
        offer("statement.md", "Save statement.md", { code: "asked = asked" })),
      make("p", { className: "hdp-plan", textContent: `Plan ${found.digest}, method ${found.method}.` }), window.hdpKernel.licences());
    answer.hidden = false;
    answer.focus({ preventScroll: true });
    answer.scrollIntoView({ block: "start" });
    dispatchEvent(new Event("resize")); // a wide table has a cue
  }

  // ---- what a reader does ----------------------------------------------------------------------------------------------
  const press = (name, act) => field(name).addEventListener("click", act);
  const take = (file) => { if (file) ask({ file, name: file.name }); };
  press("sample", () => { [field("low").value, field("high").value] = "01"; ask({ sample: "../synthesis/users.csv", name: "users.csv" }); });
  press("paste", () => take(new File([field("text").value], "users.csv")));
  press("groups", () => ask({ groups: groups() }));
  press("add", () => addGroup(["100", "1", "curator", "1"]).querySelector("input").focus());
  press("again", () => last && ask({ ...last }));
  press("stop", () => window.hdpKernel?.stop());
  field("file").addEventListener("click", () => { field("file").value = ""; }); // the same file may have changed
  field("file").addEventListener("change", () => take(field("file").files[0]));
  form.addEventListener("submit", (event) => event.preventDefault());
  const drop = form.querySelector(".hdp-drop");
  for (const kind of ["dragover", "drop"]) addEventListener(kind, (event) => event.preventDefault()); // nor beside the zone is a file opened
  drop.addEventListener("dragover", () => drop.classList.add("over"));
  for (const kind of ["dragleave", "drop"]) drop.addEventListener(kind, () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => take(event.dataTransfer.files[0]));
  const choose = () => {
    for (const [name, of] of [["variance", "variance"], ["mean", "prior"], ["spread", "prior"]]) field(name).parentElement.hidden = field("known").value !== of;
  };
  field("known").addEventListener("change", choose);

  // ---- what the address says -------------------------------------------------------------------------------------------
  const said = new URLSearchParams(location.hash.slice(1)), row = (text) => text.split(",");
  const given = (said.get("groups") ?? "700,0.1,curator,1;200,1,curator,1;100,inf,curator,1").split(";").map(row);
  given.filter((group) => group.length === 4).slice(0, 50).forEach(addGroup);
  if (said.has("groups")) body.closest("details").open = true;
  if (said.has("interval")) [field("low").value, field("high").value] = row(said.get("interval"));
  if (said.has("variance")) { field("known").value = "variance"; field("variance").value = said.get("variance"); }
  if (said.has("prior")) { field("known").value = "prior"; [field("mean").value, field("spread").value] = row(said.get("prior")); }
  choose();
})();
