import { writeFileSync } from 'node:fs';

import { Command, Option } from 'commander';

import { parseWholeNumber } from '../../support/command-line';
import { build } from '../../support/program';
import setUpCitus from '../../support/citus/global-setup';
import tearDownCitus from '../../support/citus/global-teardown';
import setUpPostgres from '../../support/global-setup';
import tearDownPostgres from '../../support/global-teardown';
import { partNames, type PartName, playOne, playPart } from './play';

interface Options {
  seed: number;
  inProcess: number;
  wire: number;
  part?: PartName;
  only?: number;
  report?: string;
  citus?: true;
}

async function main({ seed, inProcess, wire, part, only, report, citus }: Options): Promise<void> {
  console.log(`seed ${seed}: repeat the same cases with --seed ${seed}`);
  const counts: Record<PartName, number> = { 'in-process': inProcess, wire };
  const chosen = partNames.filter((name) => (part === undefined || name === part) && counts[name] > 0);
  if (chosen.includes('wire')) await build();
  const [setUp, tearDown] = citus ? [setUpCitus, tearDownCitus] : [setUpPostgres, tearDownPostgres];
  await setUp();
  // Ctrl-C must not leave a server behind.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void tearDown().finally(() => process.exit(1)));
  }
  const descriptions: string[] = [];
  let isClean = true;
  try {
    for (const name of chosen) {
      const onProgress = (line: string): void => {
        console.error(line);
      };
      const played =
        only === undefined
          ? await playPart(name, { seed, count: counts[name], onProgress })
          : await playOne(name, seed, only);
      descriptions.push(played.description);
      console.log(played.description);
      isClean &&= played.isClean;
    }
  } finally {
    await tearDown();
  }
  if (report !== undefined) writeFileSync(report, `seed ${seed}\n\n${descriptions.join('\n\n')}\n`);
  if (isClean) return;
  console.error(`failed with seed ${seed}`);
  process.exitCode = 1;
}

void new Command('npm run test:suite fuzz --')
  .description('Sends invalid and unusual requests, and checks every response.')
  .option('--seed <number>', 'which cases', parseWholeNumber, Date.now() % 1_000_000)
  .option('--in-process <number>', 'cases without a socket', parseWholeNumber, 1_000_000)
  .option('--wire <number>', 'cases over TCP', parseWholeNumber, 200_000)
  .addOption(new Option('--part <name>', 'only this part').choices(partNames))
  .option('--only <index>', 'only this case, and print its responses', parseWholeNumber)
  .option('--report <file>', 'also write the report to this file')
  .option('--citus', 'the database is a Citus cluster of three nodes')
  .action(main)
  .parseAsync();
