import { randomBytes } from 'node:crypto';

import { Command } from 'commander';

import type { PepperUse } from '../../modules/key-pairs/pepper-report';
import { exitCodes } from './exit-codes';
import { pairAsJson } from './keys.command';
import { look } from './operator';
import { lookCommand } from './options';
import { type Columns, printJson, printRecord, printTable } from './output';

const columns: Columns<PepperUse> = [
  ['VERSION', (use) => use.version],
  ['CONFIGURED', (use) => (use.isConfigured ? 'yes' : 'no')],
  ['LIVE PAIRS', (use) => use.livePairs],
  ['WHAT TO DO', (use) => use.advice, 'wrap'],
];

function drawCommand(): Command {
  return lookCommand(
    'draw',
    'generate the next pepper version for CREDENTIAL_PEPPERS; it is printed once and never stored',
  ).action(({ json }: { json?: boolean }) =>
    look(
      ({ keyPairs }) => keyPairs.reportPeppers(),
      ({ versions }) => {
        const version = Math.max(0, ...versions.map((use) => use.version)) + 1;
        const pepper = `${version}:${randomBytes(48).toString('base64url')}`;
        if (json) {
          printJson({ version, pepper });
          return;
        }
        printRecord({ version, pepper });
        console.error(
          'Append it to CREDENTIAL_PEPPERS after a comma, for these commands and for all processes of the service. Restart the processes one by one.\nIssue and rotate key pairs only after that: a process without this pepper rejects the new pairs. "peppers show" lists the pairs to rotate.',
        );
      },
    ),
  );
}

function showCommand(): Command {
  return lookCommand(
    'show',
    'list pepper versions, and the live key pairs to rotate before you remove an old version. Exit code 3: a live pair needs a version that is not in CREDENTIAL_PEPPERS',
  ).action(({ json }: { json?: boolean }) =>
    look(
      ({ keyPairs }) => keyPairs.reportPeppers(),
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
        printTable(columns, versions, 'No peppers found.');
        if (toRotate.length === 0) return;
        console.log('\nRotate these pairs (keys rotate) before you remove an older pepper:');
        printTable(
          [
            ['PEPPER', (pair) => pair.pepperVersion],
            ['API-KEY', (pair) => pair.apiKey, 'whole'],
            ['COMPANY', (pair) => pair.company],
            ['EXPIRES', (pair) => pair.expiresAt, 'whole'],
          ],
          toRotate,
          '',
        );
      },
    ),
  );
}

export function peppersCommand(): Command {
  return new Command('peppers')
    .description('list and generate peppers, the server-side keys that protect stored API secrets')
    .addCommand(showCommand())
    .addCommand(drawCommand());
}
