// node compile.js CORE JOBS: run image.py in the Python of the kernel itself.
// CORE is the folder of Pyodide; JOBS is JSON, a list of {make, target, archives, leave}: the function of image.py, the
// file to write, and its arguments.
"use strict";
const fs = require("fs");
const path = require("path");

(async () => {
  const [core, jobs] = process.argv.slice(2);
  const { loadPyodide } = require(path.resolve(core, "pyodide.js"));
  const python = await loadPyodide({ indexURL: path.resolve(core) + path.sep });
  const inside = (file, name) => { python.FS.writeFile(name, fs.readFileSync(file)); return name; };
  python.runPython(fs.readFileSync(path.join(__dirname, "image.py"), "utf8"));
  for (const { make, target, archives, leave } of JSON.parse(jobs)) {
    const copies = typeof archives === "string"
      ? inside(archives, "/library.zip")
      : archives.map(([file, folder], i) => [inside(file, `/archive${i}`), folder]);
    const made = python.globals.get(make)(python.toPy(copies), leave);
    const view = made.getBuffer();
    fs.writeFileSync(target, view.data);
    view.release();
    made.destroy();
  }
})();
