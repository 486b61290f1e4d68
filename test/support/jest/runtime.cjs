// Jest gives each test file its own copies of all modules: about 860 in a test of the API. A copy
// is slow at first, because V8 has not optimized it yet. In the environment of environment.cjs,
// modules load once per worker, as in `vitest --no-isolate`. Only the test file, the setup files
// and Jest load again. This took 28 % off the CPU time of `npm test`. The runtime reaches into
// jest-runtime 30.5: if an upgrade breaks it, remove `runtime` and `testEnvironment` from
// jest.config.js. Then everything works as before, more slowly.
const Module = require('node:module');
const path = require('node:path');
const vm = require('node:vm');
const { default: Runtime } = require('jest-runtime');

const root = path.join(__dirname, '..', '..', '..') + path.sep;
const rootRequire = Module.createRequire(path.join(root, 'package.json'));
/** These register their hooks in the Jest of a test file. */
const perFile =
  /\.(test|citus|pgbouncer|browser|alerts)\.ts$|[/\\]openapi[/\\]setup\.ts$|[/\\]node_modules[/\\](@jest|jest-\w+|expect|@sinclair)[/\\]/;

/** The lines of a stack that are in this file. */
const ownFrames = /^ +at .*runtime\.cjs.*\n?/gm;

/** Compiled sources of Jest, by file name. */
const compiled = new Map();
/** File names of shared modules, by folder and request. */
const resolved = new Map();
/** Source maps of shared modules, by file name. */
const sourceMaps = new Map();
/** The runtime of the running test file. */
let current;

/** Teaches Node's own loader TypeScript, as Jest transforms it. */
function loadTypeScript() {
  Module._extensions['.ts'] = (module, filename) => {
    const { transformCache } = current;
    module._compile(transformCache.transform(filename), filename);
    sourceMaps.set(filename, transformCache.sourceMaps.get(filename));
  };
  // In a TypeScript file, './x.js' means './x.ts', and our packages are their sources.
  const resolveFilename = Module._resolveFilename;
  Module._resolveFilename = function resolveTypeScript(request, parent, ...rest) {
    const [, ownPackage] = /^@contribution-service\/([^/]+)$/.exec(request) ?? [];
    if (ownPackage) return path.join(root, 'packages', ownPackage, 'src', 'index.ts');
    try {
      return resolveFilename.call(this, request, parent, ...rest);
    } catch (error) {
      if (!/^\.{1,2}\/.*\.js$/.test(request) || !parent?.filename?.endsWith('.ts')) throw error;
      return resolveFilename.call(this, request.slice(0, -'.js'.length), parent, ...rest);
    }
  };
}

module.exports = class SharingRuntime extends Runtime {
  constructor(...parameters) {
    super(...parameters);
    [, this.environment] = parameters;
    if (!this.environment.sharesModules) return;
    if (current === undefined) loadTypeScript();
    current = this;
    for (const [file, map] of sourceMaps) if (map) this.transformCache.sourceMaps.set(file, map);
    const { executor } = this;
    const testPath = parameters[6];
    executor.compile = (source, filename) => {
      const known = compiled.get(filename);
      if (known?.source === source) return known.run;
      const run = vm.compileFunction(source, executor.injectedModuleParameters, { filename });
      // A worker runs a test file once.
      if (filename !== testPath) compiled.set(filename, { source, run });
      return run;
    };
  }

  requireModule(from, name, options, isActual) {
    try {
      const file = options?.isInternalModule ? undefined : this.sharedFile(from, name);
      return file === undefined
        ? super.requireModule(from, name, options, isActual)
        : this.requireShared(file);
    } catch (error) {
      // The first frame then is that of the import.
      if (typeof error?.stack === 'string') error.stack = error.stack.replace(ownFrames, '');
      throw error;
    }
  }

  requireShared(file) {
    this.environment.isLoading = true;
    try {
      return rootRequire(file);
    } finally {
      this.environment.isLoading = false;
    }
  }

  /** The file of a module that this worker shares; undefined if it is of this test file. */
  sharedFile(from, name) {
    if (!this.environment.sharesModules || !name || Module.isBuiltin(name)) return undefined;
    const key = `${path.dirname(from)}\0${name}`;
    if (!resolved.has(key)) resolved.set(key, this.cjsLoader.resolution.resolveCjs(from, name));
    const file = resolved.get(key);
    return file.startsWith(root) && !perFile.test(file) ? file : undefined;
  }
};
