// Compiles each package into its dist/, packs the SDK, and compiles the program into dist/. The
// program uses the packages and serves the packed SDK. Names select some of them.
// With --if-stale, only what has a source that is newer than its last build.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** A package that the program uses. */
const ofProgram = (folder) => ({
  folder,
  project: `${folder}/tsconfig.build.json`,
  sources: [`${folder}/src`, `${folder}/package.json`, `${folder}/tsconfig.build.json`, 'tsconfig.json'],
  documents: [],
});

/**
 * The program is last, because its compiler reads the types of the packages.
 *
 * `folder` is where it is built, in `dist`. `commonJs` builds the same program as CommonJS, in
 * `dist/cjs`. `documents` are files that the program reads at run
 * time; they are copied to the same path below dist.
 */
const builds = {
  sdk: {
    folder: 'packages/sdk',
    project: 'packages/sdk/tsconfig.json',
    commonJs: 'packages/sdk/tsconfig.cjs.json',
    sources: [
      'packages/sdk/src',
      'packages/sdk/node',
      'packages/sdk/package.json',
      'packages/sdk/tsconfig.json',
      'packages/sdk/tsconfig.cjs.json',
      'tsconfig.json',
    ],
    documents: [],
  },
  'bank-files': ofProgram('packages/bank-files'),
  'local-postgres': ofProgram('packages/local-postgres'),
  service: {
    folder: '.',
    project: 'tsconfig.build.json',
    sources: [
      'src',
      'database',
      'migrations',
      'seeds',
      'knexfile.ts',
      'docs/guides',
      'CHANGELOG.md',
      'packages/sdk/packed',
      'packages/sdk/README.md',
      'package.json',
      'package-lock.json',
      'tsconfig.json',
      'tsconfig.build.json',
    ],
    documents: [
      'database',
      'docs/guides',
      'CHANGELOG.md',
      'packages/sdk/packed',
      'packages/sdk/README.md',
      'src/features/documentation/assets',
      'seeds/demo/pictures',
    ],
  },
};

/** The latest change below a path; folders count, because removing a file changes its folder. */
function lastChange(file) {
  const { mtimeMs } = statSync(file);
  if (!statSync(file).isDirectory()) return mtimeMs;
  return Math.max(mtimeMs, ...readdirSync(file).map((name) => lastChange(path.join(file, name))));
}

function isStale(stamp, sources) {
  if (!existsSync(stamp)) return true;
  const builtAt = statSync(stamp).mtimeMs;
  return sources.some((source) => lastChange(path.join(root, source)) > builtAt);
}

const compiler = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const isCompilerInstalled = existsSync(compiler);
const ifStale = process.argv.includes('--if-stale');

function build({ folder, project, commonJs, sources, documents }) {
  const target = path.join(root, folder, 'dist');
  const stamp = path.join(target, '.built');
  if (ifStale && !isStale(stamp, sources)) return;
  if (!isCompilerInstalled) {
    console.error(`The compiler is a development dependency. With --omit=dev or NODE_ENV=production, npm ci does not install it.
Run: npm ci --include=dev && npm run build && npm prune --omit=dev`);
    process.exit(1);
  }
  // Compiles into another folder and then replaces dist, so that a failed or concurrent build
  // leaves a complete one.
  const fresh = path.join(root, folder, `dist-${process.pid}`);
  const code = sources.filter((source) => !documents.includes(source));
  // The compiler takes seconds, and a changed document or SQL file does not need it.
  if (ifStale && !isStale(stamp, code)) cpSync(target, fresh, { recursive: true });
  else {
    compile(project, fresh);
    if (commonJs !== undefined) compileCommonJs(commonJs, fresh);
  }
  for (const document of documents) {
    rmSync(path.join(fresh, document), { recursive: true, force: true });
    cpSync(path.join(root, document), path.join(fresh, document), { recursive: true });
  }
  writeFileSync(path.join(fresh, '.built'), '');
  replace(target, fresh);
}

/** @param fresh the folder to remove if the compiler fails */
function compile(project, folder, fresh = folder) {
  const { status } = spawnSync(process.execPath, [compiler, '-p', project, '--outDir', folder], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) {
    rmSync(fresh, { recursive: true, force: true });
    process.exit(status ?? 1);
  }
}

/** The package is of ES modules. A package.json makes this folder CommonJS. */
function compileCommonJs(project, fresh) {
  const folder = path.join(fresh, 'cjs');
  compile(project, folder, fresh);
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "commonjs" }\n');
}

const sdk = path.join(root, 'packages', 'sdk');

/**
 * Packs the SDK into packages/sdk/packed. The same files give the same bytes: npm sorts them and
 * leaves out their times and owners.
 */
function pack() {
  const target = path.join(sdk, 'packed');
  const contents = ['dist/.built', 'package.json', 'README.md', 'CHANGELOG.md', 'LICENSE'];
  const packed = existsSync(target) ? readdirSync(target).map((name) => path.join(target, name)) : [];
  const isPacked =
    packed.length === 1 &&
    !isStale(
      packed[0],
      contents.map((name) => path.join('packages/sdk', name)),
    );
  if (ifStale && isPacked) return;
  const fresh = `${target}-${process.pid}`;
  mkdirSync(fresh);
  // npm makes it executable when it links it, so a file packed later would differ.
  chmodSync(path.join(sdk, 'dist', 'command', 'main.js'), 0o755);
  // `npm run` and `npm ci --dry-run` set variables that would configure this npm too.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
  const { npm_execpath: npm = '' } = process.env;
  const [program, ...first] = npm.endsWith('npm-cli.js') ? [process.execPath, npm] : ['npm'];
  const { status } = spawnSync(
    program,
    [...first, 'pack', '--silent', '--offline', '--ignore-scripts', '--pack-destination', fresh],
    {
      cwd: sdk,
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
      shell: program === 'npm' && process.platform === 'win32',
    },
  );
  if (status !== 0) {
    rmSync(fresh, { recursive: true, force: true });
    console.error('npm pack failed for packages/sdk');
    process.exit(status ?? 1);
  }
  replace(target, fresh);
}

/** Replaces a build. Concurrent builds have the same content, so the first one stays. */
function replace(target, fresh) {
  const old = `${fresh}-old`;
  try {
    renameSync(target, old);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  try {
    renameSync(fresh, target);
  } catch (error) {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    rmSync(fresh, { recursive: true, force: true });
  }
  rmSync(old, { recursive: true, force: true });
}

const names = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const unknown = names.filter((name) => !Object.hasOwn(builds, name));
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(', ')}. Builds: ${Object.keys(builds).join(', ')}`);
  process.exit(1);
}
const selected = names.length === 0 || names.includes('service') ? Object.keys(builds) : names;
// After `npm prune --omit=dev` the compiler is missing. --if-stale then accepts any existing builds
// of the program and the packages that it loads, because npm may have changed timestamps.
const isBuilt = (name) => existsSync(path.join(root, builds[name].folder, 'dist', '.built'));
const loaded = ['bank-files', 'local-postgres', 'service'];
if (ifStale && !isCompilerInstalled && loaded.every(isBuilt)) process.exit(0);
for (const name of selected) {
  build(builds[name]);
  if (name === 'sdk') pack();
}
