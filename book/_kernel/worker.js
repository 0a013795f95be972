// The worker of a page in which Python runs.  It gets its files from the page, which may open scripts where a worker of
// a page from disk may open nothing, checks each against its SHA-256, and answers Pyodide's requests from them.
"use strict";
const BASE = "https://kernel.invalid/"; // a name, never fetched
const TYPES = { wasm: "application/wasm", json: "application/json" };
const files = new Map();
const LARGE = 100_000; // bytes worth the call; Pyodide keeps modules of its own, which are smaller
const LIBRARY = "python_stdlib.zip", OPENBLAS = "/images/scipy.img/lib/libopenblas.so";
let python, kernel, library;

// Memory that nobody needs is free now, not when the browser finds out: sent to where nobody listens.
function giveBack(buffer) {
  const { port1, port2 } = new MessageChannel();
  port2.close();
  port1.postMessage(null, [buffer]);
  port1.close();
}
const post = (type, data) => self.postMessage({ type, ...data });
const slot = (name) => {
  if (!files.has(name)) {
    const entry = {};
    entry.content = new Promise((resolve, reject) => Object.assign(entry, { resolve, reject }));
    entry.content.catch(() => {}); // who waits for it is told
    files.set(name, entry);
  }
  return files.get(name);
};

async function inflated(name, packed, sha256) {
  // A browser offers the digest on https, on this machine and from disk.
  if (self.crypto?.subtle) {
    const bytes = await packed.arrayBuffer(), digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    giveBack(bytes);
    const found = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
    if (found !== sha256) throw new Error(`${name} is not the file that this book was built with`);
  }
  return new Response(packed.stream().pipeThrough(new DecompressionStream("gzip"))).blob();
}

function arrived({ name, packed, sha256 }) {
  const { resolve, reject } = slot(name);
  inflated(name, packed, sha256).then(resolve, reject);
}

const take = async (name) => {
  const content = await slot(name).content;
  files.delete(name); // it is needed once, and large
  return content;
};
const script = async (name) => importScripts(URL.createObjectURL(new Blob([await take(name)], { type: "text/javascript" })));

self.fetch = async (address) => {
  const name = String(address.url ?? address).slice(BASE.length), content = await take(name);
  if (name === LIBRARY) {
    library = { content, bytes: await content.arrayBuffer() };
    return { ok: true, arrayBuffer: async () => library.bytes };
  }
  return new Response(content, { headers: { "Content-Type": TYPES[name.split(".").pop()] ?? "application/octet-stream" } });
};

// Mount an image (image.py says what it is): its files are read when Python asks for them, the rest costs no memory.
async function mount(name) {
  const blob = await take(name), head = await blob.slice(0, 1e6).text(), end = head.indexOf("\n");
  let start = new Blob([head.slice(0, end + 1)]).size;
  place("/images/" + name, JSON.parse(head.slice(0, end)).map(([name, size]) => ({ name, data: blob.slice(start, start += size) })));
  python.runPython("import sys; sys.path_importer_cache.clear()"); // until now it was not there
}

function place(folder, blobs) {
  const { FS } = python;
  FS.mkdirTree(folder);
  FS.mount(FS.filesystems.WORKERFS, { blobs }, folder);
}

// What is copied on its way, to Python or to the browser's compiler, is given back once it has arrived.
function thrifty() {
  const { FS } = python, reader = new FileReaderSync();
  FS.filesystems.WORKERFS.stream_ops.read = (stream, buffer, offset, length, position) => {
    const content = reader.readAsArrayBuffer(stream.node.contents.slice(position, position + length)), size = content.byteLength;
    buffer.set(new Uint8Array(content), offset);
    if (size > LARGE) giveBack(content);
    return size;
  };
  WebAssembly.Module = new Proxy(WebAssembly.Module, {
    construct(Module, [bytes]) {
      const made = new Module(bytes);
      if (bytes.byteLength > LARGE) giveBack(bytes.buffer);
      return made;
    },
  });
}

// Python starts from a copy of its library; from now on it reads the file itself.
function shelve() {
  const { FS } = python, [name] = FS.readdir("/lib").filter((name) => name.endsWith(".zip"));
  place("/images/library", [{ name, data: library.content }]);
  giveBack(library.bytes);
  giveBack(FS.lookupPath("/lib/" + name).node.contents.buffer);
  FS.unlink("/lib/" + name);
  FS.symlink("/images/library/" + name, "/lib/" + name);
}

// A library that others need is compiled as it is read, by threads of the browser's own.
const compiled = (path) => WebAssembly.compileStreaming(
  new Response(python.FS.lookupPath(path).node.contents, { headers: { "Content-Type": TYPES.wasm } }));

async function link(path, code) {
  const flags = { loadAsync: true, allowUndefined: true, nodelete: true };
  python._module.preloadedWasm[path] = await python._module.loadWebAssemblyModule(await code, flags, path, {});
  await python._api.loadDynlib(path, false, []);
}

// What would stop the page is cut here: it is counted, and the page hears now and then how much it is.
const MOST = { lines: 1000, characters: 100_000, results: 200 };
const PAUSE = 500; // milliseconds
let left, cut, told;
const anew = () => { left = { ...MOST }; cut = { lines: 0, characters: 0, results: 0 }; told = 0; };
function count(more) {
  for (const of of Object.keys(more)) cut[of] += more[of];
  if (performance.now() - told < PAUSE) return;
  post("cut", { cut });
  told = performance.now();
}
function print(line) {
  if (!left.lines || !left.characters) return count({ lines: 1, characters: line.length + 1 });
  const shown = line.slice(0, left.characters);
  left.lines -= 1;
  left.characters -= shown.length;
  post("stream", { text: shown + "\n" });
  if (shown.length < line.length) count({ characters: line.length - shown.length });
}
function display(mime, text) {
  if (!left.results) return count({ results: 1 });
  left.results -= 1;
  post("output", { mime, text });
}

async function start({ page }) {
  anew();
  await script("pyodide.js");
  await script("pyodide.asm.js");
  const snapshot = await (await take("snapshot.bin")).arrayBuffer(); // empty where the book was built without node
  python = await loadPyodide({
    indexURL: BASE, packages: [], ...(snapshot.byteLength && { _loadSnapshot: snapshot }),
    stdout: print, stderr: print,
  });
  // Pyodide would hold it as long as Python runs: as much memory again.
  delete python._api.config._loadSnapshot;
  giveBack(snapshot);
  thrifty();
  shelve();
  post("status", { text: "Installing NumPy, SciPy and SymPy" });
  await mount("site.img");
  await mount("hdp.img");
  const scipy = mount("scipy.img").then(() => ({ code: compiled(OPENBLAS) })); // meanwhile, if it has come
  scipy.catch(() => {});
  post("status", { text: "Importing them" });
  const globals = python.toPy({ __name__: "hdp_cell" });
  python.runPython(await (await take("cell.py")).text(), { globals, filename: "cell.py" });
  // Matplotlib is fetched when it is asked for.
  const needs = async () => { post("need", { name: "matplotlib.img" }); await mount("matplotlib.img"); };
  kernel = globals.get("start")(page, display, needs);
  await link(OPENBLAS, (await scipy).code);
  post("ready");
}

async function run({ id, code }) {
  anew();
  const began = performance.now();
  const [error, glued] = await kernel.run(code, `<cell ${id}>`);
  if (told) post("cut", { cut });
  post("done", { id, error, glued, seconds: (performance.now() - began) / 1000 });
}

// A file of the reader's is read where it lies, never copied as a whole; the page hears how far Python has read.
const BROUGHT = "/brought";
function bring({ name, file }) {
  const { FS } = python;
  if (FS.analyzePath(BROUGHT).exists) FS.unmount(BROUGHT); else FS.mkdirTree(BROUGHT);
  let told = 0;
  file.slice = (start, end) => {
    if (start > told) { // by a hundredth at least since it was said last
      post("read", { part: start / file.size });
      told = start + file.size / 100;
    }
    return Blob.prototype.slice.call(file, start, end);
  };
  FS.mount(FS.filesystems.WORKERFS, { blobs: [{ name, data: file }] }, BROUGHT);
}
const complete = ({ id, text }) => post("names", { id, names: kernel.complete(text) });
const give = ({ name }) => post("given", { blob: new Blob([python.FS.readFile(name)]) });

const ACTS = { start, cell: run, complete, fresh: () => kernel.fresh(), bring, take: give };
let queue = Promise.resolve();
self.onmessage = ({ data }) => {
  // Files do not wait in line: the start, which is ahead of them, waits for them.
  if (data.type === "file") return arrived(data);
  queue = queue.then(() => ACTS[data.type](data))
    .catch((error) => post("failed", { text: String(error?.message ?? error) }));
};
