// Jest gives each test file its own copies of all modules. About 860 modules load in a test of the
// API, so reading and compiling them took half of the CPU time of a short file. This runtime reads,
// transforms and compiles a module once per worker, and only runs it for each file: the copies stay
// separate. Only a module named `*.per-worker.ts` is shared: it runs once per worker. The runtime
// reaches into jest-runtime 30.5: if an upgrade breaks it, remove `runtime` from jest.config.js,
// and everything works as before, more slowly.
const { createRequire } = require('node:module');
const vm = require('node:vm');
const { default: Runtime } = require('jest-runtime');

/** The transformed files of this worker, by file name. */
const transformedFiles = new Map();
/** The compiled files of this worker, by file name. */
const scripts = new Map();
/** The modules that run once in this worker, by file name. */
const modules = new Map();

function compileOnce(source, filename, parameters) {
  const known = scripts.get(filename);
  if (known?.source === source) return known.script;
  const head = `(function(${parameters.join(',')}){`;
  const script = new vm.Script(`${head}${source}\n})`, { filename, columnOffset: -head.length });
  scripts.set(filename, { source, script });
  return script;
}

class RuntimeWithSharedScripts extends Runtime {
  constructor(...parameters) {
    super(...parameters);
    const globalConfig = parameters.at(-1);
    // Files change while Jest watches them.
    if (globalConfig.watch || globalConfig.watchAll) return;
    this.transformOnce();
    this.compileOnce();
    this.runOnce();
  }

  transformOnce() {
    const { transformCache } = this;
    const transform = transformCache.transform.bind(transformCache);
    transformCache.transform = (filename, options) => {
      const known = transformedFiles.get(filename);
      if (known === undefined || options?.isInternalModule) {
        const code = transform(filename, options);
        if (!options?.isInternalModule)
          transformedFiles.set(filename, transformCache.transforms.get(filename));
        return code;
      }
      transformCache.transforms.set(filename, known);
      if (known.sourceMapPath) transformCache.sourceMaps.set(filename, known.sourceMapPath);
      return known.code;
    };
  }

  compileOnce() {
    const { executor } = this;
    const compile = executor.compile.bind(executor);
    executor.compile = (source, filename) => {
      const context = executor.environment.getVmContext();
      if (context === null || executor.resolution.isCoreModule(filename)) return compile(source, filename);
      try {
        return compileOnce(source, filename, executor.injectedModuleParameters).runInContext(context);
      } catch {
        // Jest explains the syntax error.
        return compile(source, filename);
      }
    };
  }

  runOnce() {
    const { cjsLoader } = this;
    const requireModule = cjsLoader.requireModule.bind(cjsLoader);
    cjsLoader.requireModule = (from, name, ...options) => {
      if (!name?.endsWith('.per-worker')) return requireModule(from, name, ...options);
      const filename = cjsLoader.resolution.resolveCjs(from, name);
      if (!modules.has(filename)) modules.set(filename, this.runOutsideJest(filename));
      return modules.get(filename).exports;
    };
  }

  /** Runs a module that imports only packages. */
  runOutsideJest(filename) {
    const module = { exports: {} };
    const code = this.transformCache.transform(filename);
    const run = vm.compileFunction(code, ['module', 'exports', 'require'], { filename });
    run(module, module.exports, createRequire(filename));
    return module;
  }
}

module.exports = RuntimeWithSharedScripts;
