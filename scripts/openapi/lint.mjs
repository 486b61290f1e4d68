import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { createConfig, lint } from '@redocly/openapi-core';

/**
 * Checks docs/openapi.json against Redocly's recommended rules, all as errors. An exception below
 * that matches no problem is an error too.
 */
const file = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..', 'docs', 'openapi.json');

const exceptions = [
  // These responses belong to no operation, so nothing in the document refers to them.
  ...['PathNotFound', 'MethodNotAllowed'].map((name) => ({
    rule: 'no-unused-components',
    pointer: `#/components/responses/${name}`,
  })),
  // Only a path with `entries` as file_id is ambiguous, and a file_id is a UUID.
  {
    rule: 'no-ambiguous-paths',
    pointer: '#/paths/~1company~1integration~1statements~1entries~1{entry_id}',
  },
];

const config = await createConfig({ extends: ['recommended-strict'] });
const problems = (await lint({ ref: file, config })).map(({ ruleId, message, location }) => ({
  rule: ruleId,
  message,
  pointer: location[0]?.pointer ?? '',
}));

const fits = (problem, exception) =>
  problem.rule === exception.rule && problem.pointer.startsWith(exception.pointer);
const unexplained = problems.filter((problem) => !exceptions.some((exception) => fits(problem, exception)));
const needless = exceptions.filter((exception) => !problems.some((problem) => fits(problem, exception)));

for (const { rule, message, pointer } of unexplained) console.error(`${rule} at ${pointer}: ${message}`);
for (const { rule, pointer } of needless)
  console.error(`the exception for ${rule} at ${pointer} is no longer needed`);
console.log(`${unexplained.length} problems, ${problems.length - unexplained.length} explained exceptions`);
process.exitCode = unexplained.length + needless.length === 0 ? 0 : 1;
