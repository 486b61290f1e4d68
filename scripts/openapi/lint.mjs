import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { createConfig, lint } from '@redocly/openapi-core';

/**
 * Holds docs/openapi.json against Redocly's rules for OpenAPI, all of the recommended ones as
 * errors. The exceptions below are as strict: one that nothing needs any more fails too.
 */
const file = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..', 'docs', 'openapi.json');

/** What is excepted, where, and why. */
const exceptions = ['PathNotFound', 'MethodNotAllowed'].map((name) => ({
  rule: 'no-unused-components',
  pointer: `#/components/responses/${name}`,
  // Answers to requests that are for no operation: nothing in the document can refer to them.
}));

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
  console.error(`the exception of ${rule} at ${pointer} is not needed any more`);
console.log(`${unexplained.length} problems, ${problems.length - unexplained.length} explained exceptions`);
process.exitCode = unexplained.length + needless.length === 0 ? 0 : 1;
