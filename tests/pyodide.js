// node pyodide.js FOLDER < PROGRAM: run a Python program in the kernel of the pages, whose files are in FOLDER.
"use strict";
const fs = require("fs");
const path = require("path");

(async () => {
  const folder = path.resolve(process.argv[2]) + path.sep;
  const _loadSnapshot = new Uint8Array(fs.readFileSync(folder + "snapshot.bin"));
  const python = await require(folder + "pyodide.js").loadPyodide({ indexURL: folder, _loadSnapshot });
  for (const name of ["site.img", "scipy.img", "hdp.img"]) {
    const image = fs.readFileSync(folder + name), end = image.indexOf(10);
    let start = end + 1;
    for (const [file, size] of JSON.parse(image.subarray(0, end))) {
      const target = `/images/${name}/${file}`;
      python.FS.mkdirTree(path.dirname(target));
      python.FS.writeFile(target, image.subarray(start, start += size));
    }
  }
  await python._api.loadDynlib("/images/scipy.img/lib/libopenblas.so", false, []);
  python.runPython("import sys; sys.path_importer_cache.clear(); sys.path += [f'/images/{part}.img/site' for part in ('hdp', 'site', 'scipy')]");
  await python.runPythonAsync(fs.readFileSync(0, "utf8"));
})().catch((error) => { console.error(String(error)); process.exit(1); });
