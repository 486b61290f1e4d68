// Preloaded into programs (NODE_OPTIONS): the packages that `npm prune --omit=dev` removes cannot
// be loaded.
const { readFileSync } = require('node:fs');
const Module = require('node:module');
const path = require('node:path');

const root = path.join(__dirname, '..', '..');
const { packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
const removed = Object.keys(packages)
  .filter((name) => packages[name].dev)
  .map((name) => path.join(root, name) + path.sep);

const resolve = Module._resolveFilename;
Module._resolveFilename = (...what) => {
  const file = resolve.apply(Module, what);
  if (!removed.some((folder) => file.startsWith(folder))) return file;
  throw Object.assign(new Error(`Cannot find module '${what[0]}'`), { code: 'MODULE_NOT_FOUND' });
};
