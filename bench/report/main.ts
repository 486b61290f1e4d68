/** `npm run bench:document`: writes docs/performance.md from the last result of `npm run bench`, or from the file that is named. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { format, resolveConfig } from 'prettier';

import type { BenchResult } from '../results';
import { runMain, say } from '../say';
import { documentOf } from './document';

runMain(async () => {
  const source = process.argv[2] ?? path.join('reports', 'bench.json');
  const result = JSON.parse(readFileSync(source, 'utf8')) as BenchResult;
  mkdirSync(path.join('docs', 'performance'), { recursive: true });
  for (const [name, text] of Object.entries(documentOf(result))) {
    const file = path.join('docs', name);
    const isMarkdown = name.endsWith('.md');
    const options = { ...(await resolveConfig(file)), parser: 'markdown' };
    writeFileSync(file, isMarkdown ? await format(text, options) : text);
    say(file);
  }
});
