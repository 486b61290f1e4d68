import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import type { JsonObject } from '../../src/http/openapi/json';
import { breakingChanges } from './compatibility/breaking-changes';

/**
 * Compares docs/openapi.json with the document of the last release and fails when a partner's
 * program that was written for that one would break. With --release the document becomes that of
 * the last release, unless it breaks something.
 */
const documents = path.join(__dirname, '..', '..', 'docs');
const [current, released] = ['openapi.json', 'openapi.released.json'].map((name) =>
  path.join(documents, name),
) as [string, string];

function main(): void {
  const isRelease = process.argv.includes('--release');
  const text = readFileSync(current, 'utf8');
  // Only the very first release has none before it.
  const before = isRelease && !existsSync(released) ? text : readFileSync(released, 'utf8');
  const breaks = breakingChanges(JSON.parse(before) as JsonObject, JSON.parse(text) as JsonObject);
  if (breaks.length > 0) {
    console.error(`${breaks.length} change(s) since the last release break partners:\n${breaks.join('\n')}`);
    process.exitCode = 1;
    return;
  }
  if (isRelease) writeFileSync(released, text);
  console.log(isRelease ? 'docs/openapi.released.json is docs/openapi.json now' : 'nothing breaks');
}

main();
