// Compiles the program into dist/. With --if-stale, only if a source is newer than the last build.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const stamp = path.join(root, 'dist', '.built');
const sources = [
  'src',
  'migrations',
  'seeds',
  'knexfile.ts',
  'docs/guides',
  'CHANGELOG.md',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
];

/** Files that the program reads at run time. They are copied to the same path below dist. */
const documents = ['docs/guides', 'CHANGELOG.md', 'src/documentation/assets', 'seeds/demo/pictures'];

/** The latest change below a path; folders count, because removing a file changes its folder. */
function lastChange(file) {
  const { mtimeMs } = statSync(file);
  if (!statSync(file).isDirectory()) return mtimeMs;
  return Math.max(mtimeMs, ...readdirSync(file).map((name) => lastChange(path.join(file, name))));
}

function isStale() {
  if (!existsSync(stamp)) return true;
  const builtAt = statSync(stamp).mtimeMs;
  return sources.some((source) => lastChange(path.join(root, source)) > builtAt);
}

const compiler = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');

/**
 * After `npm prune --omit=dev` the compiler is missing. --if-stale then accepts any existing build,
 * because npm may have changed timestamps.
 */
const isCompilerInstalled = existsSync(compiler);
const mustBuild =
  !process.argv.includes('--if-stale') || (isCompilerInstalled ? isStale() : !existsSync(stamp));

if (mustBuild && !isCompilerInstalled) {
  console.error(`The compiler is a development dependency, and npm ci --omit=dev does not install it.
Run: npm ci && npm run build && npm prune --omit=dev`);
  process.exit(1);
}

// Compiles into another folder and then replaces dist, so that a failed or concurrent build leaves
// a complete one.
if (mustBuild) {
  const fresh = path.join(root, `dist-${process.pid}`);
  const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json', '--outDir', fresh], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status === 0) {
    for (const document of documents) {
      cpSync(path.join(root, document), path.join(fresh, document), { recursive: true });
    }
    writeFileSync(path.join(fresh, '.built'), '');
    rmSync(path.join(root, 'dist'), { recursive: true, force: true });
    renameSync(fresh, path.join(root, 'dist'));
  } else {
    rmSync(fresh, { recursive: true, force: true });
    process.exit(status ?? 1);
  }
}
