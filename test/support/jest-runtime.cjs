// Jest gives each test file its own copies of all modules. About 860 modules load in a test of the
// API, so reading and compiling them took half of the CPU time of a short file. This runtime reads,
// transforms and compiles a module once per worker, and only runs it for each file: the copies stay
// separate. It reaches into jest-runtime 30.5: if an upgrade breaks it, remove `runtime` from
// jest.config.js, and everything works as before, more slowly.
const vm = require('node:vm');
const { default: Runtime } = require('jest-runtime');

/** The transformed files of this worker, by file name. */
const transformedFiles = new Map();
/** The compiled files of this worker, by file name. */
const scripts = new Map();

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
}

module.exports = RuntimeWithSharedScripts;
