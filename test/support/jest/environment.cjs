// Test files share the globals of their worker, and modules that load once (runtime.cjs). A file
// that replaces modules or the clock gets Jest's usual environment. So do all files in watch mode,
// because they change, and when coverage is measured.
const asyncHooks = require('node:async_hooks');
const { readFileSync } = require('node:fs');
const v8 = require('node:v8');
const { TestEnvironment: IsolatedEnvironment } = require('jest-environment-node');
const { ModuleMocker } = require('jest-mock');

const needsOwnModules = /\bjest\.(mock|doMock|requireActual|resetModules|isolateModules|useFakeTimers)\b/;

/**
 * By default, V8 lets a heap grow to several times its live objects before it collects the garbage.
 * A worker then needs over 700 MB.
 */
v8.setFlagsFromString('--heap-growing-percent=40');

/**
 * Jest creates a storage for each test file and never disables it. While it is enabled, every
 * promise of the worker copies a value for it. After 150 files, an `await` took 60 times as long.
 */
const storages = new Set();
asyncHooks.AsyncLocalStorage = class extends asyncHooks.AsyncLocalStorage {
  constructor(...options) {
    super(...options);
    storages.add(this);
  }
};

/** Storages of shared modules are enabled again when they are next used. */
function disableStorages() {
  for (const storage of storages) storage.disable();
}

/** Events of Jest by which a module registers tests and hooks. */
const registers = new Set(['add_hook', 'add_test', 'start_describe_definition']);

/** What a test file may have changed, and what the next one expects. */
class Restorer {
  constructor() {
    this.variables = { ...process.env };
    this.properties = new Map(Reflect.ownKeys(globalThis).map((key) => [key, this.descriptor(key)]));
    this.exit = process.exit;
    this.directory = process.cwd();
  }

  descriptor(key) {
    return Object.getOwnPropertyDescriptor(globalThis, key);
  }

  restore() {
    for (const name of Object.keys(process.env)) if (!(name in this.variables)) delete process.env[name];
    Object.assign(process.env, this.variables);
    for (const key of Reflect.ownKeys(globalThis)) {
      const before = this.properties.get(key);
      if (before === undefined) Reflect.deleteProperty(globalThis, key);
      else if (before.configurable) Object.defineProperty(globalThis, key, before);
    }
    process.exit = this.exit;
    process.chdir(this.directory);
  }
}

class SharedEnvironment {
  sharesModules = true;
  global = globalThis;
  fakeTimers = null;
  fakeTimersModern = null;
  moduleMocker = new ModuleMocker(globalThis);

  restorer = new Restorer();

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return null;
  }

  handleTestEvent({ name }) {
    if (this.restorer === undefined)
      throw new Error(`${name} after the end of the test file: a module kept \`test\` or a hook of Jest`);
    if (this.isLoading && registers.has(name))
      throw new Error('this module loads once per worker: register tests and hooks in a function');
  }

  async setup() {}

  async teardown() {
    this.moduleMocker.restoreAllMocks();
    this.restorer.restore();
    this.restorer = undefined;
  }
}

/** Jest calls this with `new`. */
module.exports = function chooseEnvironment(config, context) {
  disableStorages();
  const { globalConfig } = config;
  const isIsolated =
    globalConfig.watch ||
    globalConfig.watchAll ||
    globalConfig.collectCoverage ||
    needsOwnModules.test(readFileSync(context.testPath, 'utf8'));
  return isIsolated ? new IsolatedEnvironment(config, context) : new SharedEnvironment();
};
