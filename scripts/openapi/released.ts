import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { appliedFiles, privilegesPath } from '../../src/db/migrations/schema-files';
import type { JsonObject } from '../../src/http/openapi/json';
import { breakingChanges } from './compatibility/breaking-changes';
import { signaturesOf } from './function-signatures';

/**
 * Compares docs/openapi.json with the last release, docs/openapi.released.json. Fails if a change
 * breaks clients of that release. With --release, a compatible document becomes the last release,
 * and the signatures of the database's functions are recorded.
 */
const documents = path.join(__dirname, '..', '..', 'docs');
const [current, released] = ['openapi.json', 'openapi.released.json'].map((name) =>
  path.join(documents, name),
) as [string, string];

const releasedFunctions = path.join(__dirname, '..', '..', 'database', 'released-functions.txt');

const help = `npm run openapi:release

Makes docs/openapi.json the last release, docs/openapi.released.json. Fails if a change breaks
clients of the previous release. Also records the signatures of the database's functions in
database/released-functions.txt.`;

function main(): void {
  if (process.argv.includes('--help')) {
    console.log(help);
    return;
  }
  const isRelease = process.argv.includes('--release');
  const text = readFileSync(current, 'utf8');
  // The first release has no predecessor.
  const before = isRelease && !existsSync(released) ? text : readFileSync(released, 'utf8');
  const breaks = breakingChanges(JSON.parse(before) as JsonObject, JSON.parse(text) as JsonObject);
  if (breaks.length > 0) {
    console.error(`${breaks.length} breaking change(s) since the last release:\n${breaks.join('\n')}`);
    process.exitCode = 1;
    return;
  }
  if (isRelease) {
    writeFileSync(released, text);
    const functions = appliedFiles().filter((file) => file.path !== privilegesPath);
    writeFileSync(releasedFunctions, signaturesOf(functions).join('\n') + '\n');
  }
  console.log(isRelease ? 'updated the documents of the last release' : 'no breaking changes');
}

main();
