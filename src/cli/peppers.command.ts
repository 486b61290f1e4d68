import { Command } from 'commander';

import type { PepperUse } from '../modules/companies/pepper-report';
import { exitCodes } from './exit-codes';
import { pairAsJson } from './keys.command';
import { look } from './operator';
import { lookCommand } from './options';
import { type Columns, printJson, printTable } from './output';

const columns: Columns<PepperUse> = [
  ['VERSION', (use) => use.version],
  ['CONFIGURED', (use) => (use.isConfigured ? 'yes' : 'no')],
  ['LIVE PAIRS', (use) => use.livePairs],
  ['WHAT TO DO', (use) => use.advice],
];

export function peppersCommand(): Command {
  return new Command('peppers').description('the keys under which secrets are stored').addCommand(
    lookCommand(
      'show',
      'which pepper versions live pairs need, and which pairs must be rotated before an old one may be dropped. Exit code 3: a live pair needs one that CREDENTIAL_PEPPERS lacks here',
    ).action(({ json }: { json?: boolean }) =>
      look(
        ({ keyRotation }) => keyRotation.reportPeppers(),
        ({ versions, toRotate, isPepperMissing }) => {
          if (isPepperMissing) process.exitCode = exitCodes.found;
          if (json) {
            printJson({
              versions: versions.map((use) => ({
                version: use.version,
                configured: use.isConfigured,
                current: use.isCurrent,
                live_pairs: use.livePairs,
                advice: use.advice,
              })),
              to_rotate: toRotate.map(pairAsJson),
            });
            return;
          }
          printTable(columns, versions, 'There is no pepper.');
          if (toRotate.length === 0) return;
          console.log('\nTo rotate (keys rotate), before an older pepper may be dropped:');
          printTable(
            [
              ['PEPPER', (pair) => pair.pepperVersion],
              ['COMPANY', (pair) => pair.company],
              ['ENVIRONMENT', (pair) => pair.kind],
              ['API-KEY', (pair) => pair.apiKey],
              ['EXPIRES', (pair) => pair.expiresAt],
            ],
            toRotate,
            '',
          );
        },
      ),
    ),
  );
}
