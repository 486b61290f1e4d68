import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import type { JsonObject } from '../../src/http/openapi/json';
import { breakingChanges } from './compatibility/breaking-changes';

/**
 * Compares docs/openapi.json with the last release, docs/openapi.released.json. Fails if a change
 * breaks clients of that release. With --release, a compatible document becomes the last release.
 */
const documents = path.join(__dirname, '..', '..', 'docs');
const [current, released] = ['openapi.json', 'openapi.released.json'].map((name) =>
  path.join(documents, name),
) as [string, string];

/** Intended breaking changes, until the next release. CHANGELOG.md tells partners about them. */
const intended: ReadonlySet<string> = new Set([
  // An empty filter selected the contributions of all users.
  ...['minLength changed from 0 to 1', 'pattern changed from "^[!-~]*$" to "^[!-~]+$"'].map(
    (change) => `GET /company/integration/contributions query parameter user_hash: ${change}`,
  ),
]);

const help = `npm run openapi:release

Makes docs/openapi.json the last release, docs/openapi.released.json. Fails if a change breaks
clients of the previous release.`;

function main(): void {
  if (process.argv.includes('--help')) {
    console.log(help);
    return;
  }
  const isRelease = process.argv.includes('--release');
  const text = readFileSync(current, 'utf8');
  // The first release has no predecessor.
  const before = isRelease && !existsSync(released) ? text : readFileSync(released, 'utf8');
  const all = breakingChanges(JSON.parse(before) as JsonObject, JSON.parse(text) as JsonObject);
  const breaks = all.filter((change) => !intended.has(change));
  const needless = [...intended].filter((change) => !all.includes(change));
  if (needless.length > 0) {
    console.error(`Remove from the list of intended changes:\n${needless.join('\n')}`);
    process.exitCode = 1;
    return;
  }
  if (breaks.length > 0) {
    console.error(`${breaks.length} breaking change(s) since the last release:\n${breaks.join('\n')}`);
    process.exitCode = 1;
    return;
  }
  if (isRelease) writeFileSync(released, text);
  console.log(isRelease ? 'updated docs/openapi.released.json' : 'no breaking changes');
}

main();
