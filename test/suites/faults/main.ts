import { writeFileSync } from 'node:fs';

import { Command } from 'commander';

import { parseWholeNumber } from '../../support/command-line';
import { build } from '../../support/program';
import { judgeRun } from './judge-run';
import { faultKinds } from './kinds';
import { describeRun } from './report';
import { runFaults } from './run';
import { createSchedule } from './schedule';
import { runSdkFaults } from './sdk/run';
import { verify } from './verify';
import { createWorld } from './world';

interface Options {
  seed: number;
  minutes: number;
  faults: number;
  requests: number;
  schedule?: boolean;
  sdk?: boolean;
  report?: string;
}

/** Ctrl-C must not leave servers and mounts behind, so the run ends as if it had failed. */
function interruption(interrupted: AbortController): Promise<never> {
  return new Promise((_resolve, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        interrupted.abort();
        reject(new Error(signal));
      });
    }
  });
}

const kindNames = faultKinds.map(({ name }) => name);

async function main(options: Options): Promise<void> {
  const { seed, minutes, faults, requests, schedule: isDryRun, report } = options;
  const schedule = createSchedule(seed, kindNames);
  if (isDryRun) {
    for (let count = 0; count < faults; count += 1) {
      const { number, kind, seed: itsSeed } = schedule.next().value;
      console.log(`${number}\t${kind}\t${itsSeed}`);
    }
    return;
  }
  console.log(`seed ${seed}: repeat the same faults with --seed ${seed}`);
  await build();
  const startedAt = Date.now();
  const world = await createWorld(seed);
  const { journal } = world;
  const interrupted = new AbortController();
  await judgeRun(world, seed, async () => {
    const onProgress = (line: string): void => {
      console.error(line);
    };
    const common = { schedule, kinds: faultKinds, minFaults: faults, minWrites: requests, onProgress };
    const run = options.sdk
      ? runSdkFaults(world, { ...common, seed, interrupted: interrupted.signal })
      : runFaults(world, { ...common, minMs: minutes * 60_000, verify }).then((results) =>
          describeRun(results, journal, (Date.now() - startedAt) / 1000, world),
        );
    const description = await Promise.race([run, interruption(interrupted)]);
    console.log(description);
    if (report !== undefined) writeFileSync(report, `${description}\n`);
  });
}

void new Command('npm run test:suite faults --')
  .description(
    'Runs the service under load while it is killed, starved, cut off and failed over, and checks every response.',
  )
  .option('--seed <number>', 'seed of the order of faults', parseWholeNumber, Date.now() % 1_000_000)
  .option('--minutes <number>', 'minimum duration of the run', parseWholeNumber, 0)
  .option('--faults <number>', 'inject at least this many', parseWholeNumber, 72)
  .option('--requests <number>', 'send at least this many writes', parseWholeNumber, 0)
  .option('--sdk', 'use programs built on the SDK, and kill them too')
  .option('--schedule', 'only print the faults that the seed gives')
  .option('--report <file>', 'also write the table to this file')
  .action(main)
  .parseAsync();
