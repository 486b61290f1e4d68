import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { format, resolveConfig } from 'prettier';

import type { BenchResult, FiguresResult, OverloadResult, ScaleResult } from '../results';
import { runMain, say } from '../say';
import { documentOf, figureBenches, type FigureResults, withFigures } from './document';

const help = `npm run bench -- report

Writes docs/performance.md and its plots from the last results in reports/. The results of bench:scale, bench:overload,
webhooks, feed, batch and statements are optional. If there are only those of the last four, it replaces their sections.`;

const documentFile = path.join('docs', 'performance.md');

function read(name: string): unknown {
  const file = path.join('reports', `${name}.json`);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

async function write(name: string, text: string): Promise<void> {
  const file = path.join('docs', name);
  const isMarkdown = name.endsWith('.md');
  const options = { ...(await resolveConfig(file)), parser: 'markdown' };
  writeFileSync(file, isMarkdown ? await format(text, options) : text);
  say(file);
}

runMain(async () => {
  if (parseArgs({ options: { help: { type: 'boolean' } } }).values.help) {
    say(help);
    return;
  }
  const result = read('bench') as BenchResult | undefined;
  const figures: FigureResults = Object.fromEntries(
    Object.keys(figureBenches)
      .map((name) => [name, read(`bench-${name}`) as FiguresResult | undefined] as const)
      .filter(([, found]) => found),
  );
  if (!result && Object.keys(figures).length > 0) {
    await write('performance.md', withFigures(readFileSync(documentFile, 'utf8'), figures));
    return;
  }
  if (!result) throw new Error('reports/bench.json is missing; run npm run bench first');
  const files = documentOf(
    result,
    read('bench-scale') as ScaleResult | undefined,
    read('bench-overload') as OverloadResult | undefined,
    figures,
  );
  mkdirSync(path.join('docs', 'performance'), { recursive: true });
  for (const [name, text] of Object.entries(files)) await write(name, text);
});
