// Test files share the globals of their worker, and modules that load once (runtime.cjs). A file
// that replaces modules or the clock gets Jest's usual environment. So do all files in watch mode,
// because they change, and when coverage is measured.
const asyncHooks = require('node:async_hooks');
const { readFileSync } = require('node:fs');
const v8 = require('node:v8');
const { TestEnvironment: IsolatedEnvironment } = require('jest-environment-node');
const { ModuleMocker } = require('jest-mock');

/** What of `jest` works with shared modules. A file that uses more gets its own. */
const worksShared = new Set(['fn', 'spyOn', 'restoreAllMocks', 'setTimeout']);

const needsOwnModules = (source) =>
  [...source.matchAll(/(?<![\w/.])jest\.([a-z]\w*)/g)].some(([, member]) => !worksShared.has(member));

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

/** Objects of the worker whose properties a test file may replace. */
const restored = [globalThis, Math, Date, JSON, Object.prototype, Array.prototype];

/** What a test file may have changed, and what the next one expects. */
class Restorer {
  constructor() {
    this.variables = { ...process.env };
    this.properties = restored.map(propertiesOf);
    this.exit = process.exit;
    this.arguments = [...process.argv];
    this.directory = process.cwd();
  }

  restore() {
    for (const name of Object.keys(process.env)) if (!(name in this.variables)) delete process.env[name];
    Object.assign(process.env, this.variables);
    restored.forEach((object, index) => restoreProperties(object, this.properties[index]));
    process.exit = this.exit;
    process.argv = this.arguments;
    process.chdir(this.directory);
  }
}

const propertiesOf = (object) =>
  new Map(Reflect.ownKeys(object).map((key) => [key, Object.getOwnPropertyDescriptor(object, key)]));

function restoreProperties(object, before) {
  for (const key of Reflect.ownKeys(object)) if (!before.has(key)) Reflect.deleteProperty(object, key);
  for (const [key, property] of before)
    if (property.configurable) Object.defineProperty(object, key, property);
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
    needsOwnModules(readFileSync(context.testPath, 'utf8'));
  return isIsolated ? new IsolatedEnvironment(config, context) : new SharedEnvironment();
};
