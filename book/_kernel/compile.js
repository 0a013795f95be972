// node compile.js CORE JOBS: run image.py in the Python of the kernel itself, and keep what it remembers of its start.
// CORE is the folder of Pyodide; JOBS is JSON, a list of {make, target, ...}: the function of image.py with its
// arguments `archives` and `leave`, or `snapshot`, and the file to write.
"use strict";
const fs = require("fs");
const path = require("path");

const [core, jobs] = process.argv.slice(2);
const { loadPyodide } = require(path.resolve(core, "pyodide.js"));
const start = (options) => loadPyodide({ indexURL: path.resolve(core) + path.sep, ...options });

function image(python, { make, target, archives, leave }) {
  const inside = (file, name) => { python.FS.writeFile(name, fs.readFileSync(file)); return name; };
  const copies = typeof archives === "string"
    ? inside(archives, "/library.zip")
    : archives.map(([file, folder], i) => [inside(file, `/archive${i}`), folder]);
  const made = python.globals.get(make)(python.toPy(copies), leave);
  const view = made.getBuffer();
  fs.writeFileSync(target, view.data);
  view.release();
  made.destroy();
}

// The files of an image, as [path, bytes].
function* files(content) {
  const end = content.indexOf("\n");
  let start = end + 1;
  for (const [name, size] of JSON.parse(content.subarray(0, end))) yield [name, content.subarray(start, start += size)];
}

// The memory of a Python that has imported what every page needs.  The image then goes without these modules.
async function snapshot({ target, library, of, imports }) {
  const python = await start({ stdLibURL: path.resolve(library), _makeSnapshot: true });
  const content = Array.from(files(fs.readFileSync(of))), place = `/images/${path.basename(of)}/`;
  for (const [name, data] of content) {
    python.FS.mkdirTree(path.posix.dirname(place + name));
    python.FS.writeFile(place + name, data);
  }
  const known = new Set(python.runPython(imports).split("\n"));
  fs.writeFileSync(target, python.makeMemorySnapshot());
  const rest = content.filter(([name]) => !known.has(place + name));
  const index = JSON.stringify(rest.map(([name, data]) => [name, data.length]));
  fs.writeFileSync(of, Buffer.concat([Buffer.from(index + "\n"), ...rest.map(([, data]) => data)]));
}

(async () => {
  const python = await start();
  python.runPython(fs.readFileSync(path.join(__dirname, "image.py"), "utf8"));
  for (const job of JSON.parse(jobs)) await (job.make === "snapshot" ? snapshot(job) : image(python, job));
})();
