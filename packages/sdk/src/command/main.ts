#!/usr/bin/env node
import { run } from './run.js';

process.exitCode = await run(process.argv.slice(2), process.env, {
  out: (line) => process.stdout.write(`${line}\n`),
  error: (line) => process.stderr.write(`${line}\n`),
});
