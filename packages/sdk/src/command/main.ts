#!/usr/bin/env node
import { createInterface } from 'node:readline/promises';

import { run } from './run.js';

async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(question);
  } finally {
    lines.close();
  }
}

const lost = new AbortController();
process.stdout.on('error', (error) => {
  lost.abort(error);
});
// The exit code also tells the outcome.
process.stderr.on('error', () => undefined);

process.exitCode = await run(process.argv.slice(2), process.env, {
  ask: process.stdin.isTTY ? ask : undefined,
  out: (line) => process.stdout.write(`${line}\n`),
  error: (line) => process.stderr.write(`${line}\n`),
  lost: lost.signal,
});
// A command that changes nothing may still be waiting for events.
if (lost.signal.aborted) process.exit();
