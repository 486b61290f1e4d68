import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

import ts from 'typescript';

import { blocksOf } from '../support/documents';
import { root } from '../support/program';

/** The plain clients of the guide for banks. Their last lines call the function: leave them out. */
const guide = readFileSync(path.join(root, 'docs', 'guides', 'bank.md'), 'utf8');
const sampleOf = (language: string, start: string): string => {
  const block = blocksOf(guide, [language]).find(({ text }) => text.includes(start));
  return block!.text
    .slice(block!.text.indexOf(start))
    .split(/\n\n(?=const window|\ncontributions, until)/)[0]!;
};
const from = '2026-11-20T10:00:01Z';

test.each([
  ['before', '2026-11-20T10:00:00.000000Z', from],
  ['after', '2026-11-20T10:00:01.500000Z', '2026-11-20T10:00:01.500000Z'],
])('a window of the samples that is complete until a time %s its start', (_name, complete_until, until) => {
  const page = JSON.stringify({ data: [], next_cursor: null, complete_until });

  const script = `const send = async () => (${page});
    ${ts.transpile(sampleOf('ts', 'async function readWindow'), { target: ts.ScriptTarget.ES2022 })}
    readWindow('${from}').then((window) => console.log(window.until));`;
  expect(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' }).trim()).toBe(until);

  const python = `import json, urllib.parse
send = lambda *request: json.loads('${page}')
${sampleOf('py', 'def read_window')}
print(read_window("${from}")[1])`;
  expect(execFileSync('python3', ['-c', python], { encoding: 'utf8' }).trim()).toBe(until);
});
