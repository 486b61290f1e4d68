import { writeFileSync } from 'node:fs';

import { Command } from 'commander';

import { parseWholeNumber } from '../../support/command-line';
import { findDifferingCopies } from '../../../src/db/citus/reference-copies';
import { build } from '../../support/program';
import { judgeRun } from '../faults/judge-run';
import { describeRun } from '../faults/report';
import { runFaults } from '../faults/run';
import { createSchedule } from '../faults/schedule';
import { verify } from '../faults/verify';
import { describeAvailability, measureAvailability } from './availability';
import { citusFaultKinds } from './kinds';
import { type CitusWorld, createCitusWorld } from './world';

interface Options {
  seed: number;
  faults: number;
  requests: number;
  availability: number;
  only?: string;
  report?: string;
}

const kindsNamed = (part = '') => citusFaultKinds.filter(({ name }) => name.includes(part));

/** What `verify` finds, and the copies of reference tables that differ. */
async function verifyWithCopies(world: CitusWorld): Promise<string[]> {
  const copies = await findDifferingCopies({
    runUnprepared: (text, values) => world.query(text, [...values]),
  });
  return [
    ...(await verify(world)),
    ...copies.map(({ table, nodes }) => `the copies of ${table} differ on ${nodes.join(', ')}`),
  ];
}

async function main(options: Options): Promise<void> {
  const { seed, faults, requests, availability, only, report } = options;
  const kinds = kindsNamed(only);
  const kindNames = kinds.map(({ name }) => name);
  console.log(`seed ${seed}: repeat the same faults with --seed ${seed}`);
  await build();
  const startedAt = Date.now();
  const world = await createCitusWorld(seed);
  const { journal } = world;
  await judgeRun(world, seed, async () => {
    const lines: string[] = [];
    if (availability > 0) {
      lines.push(describeAvailability(await measureAvailability(world, availability)));
    } else {
      const results = await runFaults(world, {
        schedule: createSchedule(seed, kindNames),
        kinds,
        minFaults: faults,
        minWrites: requests,
        minMs: 0,
        verify: verifyWithCopies,
        onProgress: (line) => {
          console.error(line);
        },
      });
      const seconds = (Date.now() - startedAt) / 1000;
      lines.push(describeRun(results, journal, seconds, world));
    }
    console.log(lines.join('\n\n'));
    if (report !== undefined) writeFileSync(report, `${lines.join('\n\n')}\n`);
  });
}

void new Command('npm run test:suite citus-faults --')
  .description(
    'Runs the service on a Citus cluster while its nodes are killed, frozen, restarted, added and removed, and checks every response.',
  )
  .option('--seed <number>', 'seed of the order of faults', parseWholeNumber, Date.now() % 1_000_000)
  .option('--faults <number>', 'inject at least this many', parseWholeNumber, 24)
  .option('--requests <number>', 'send at least this many writes', parseWholeNumber, 0)
  .option(
    '--availability <seconds>',
    'only measure the effect of a dead worker on other tenants',
    parseWholeNumber,
    0,
  )
  .option('--only <text>', 'only the kinds of faults whose names contain this')
  .option('--report <file>', 'also write the table to this file')
  .action(main)
  .parseAsync();
