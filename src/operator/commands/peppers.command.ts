import { randomBytes } from 'node:crypto';

import { Command } from 'commander';

import type { PepperUse } from '../../core/key-pairs/pepper-report';
import { type CommandIo, printLine } from '../cli/command-io';
import { exitCodes } from '../cli/exit-codes';
import { pairAsJson } from './keys.command';
import { readCommand } from '../cli/options';
import { type List, printJson, printList, printRecord, printTable } from '../cli/output';
import { runRead } from './operations';

const listedVersions: List<PepperUse> = {
  name: 'versions',
  fields: [
    ['version', (use) => use.version, 'VERSION'],
    ['configured', (use) => use.isConfigured],
    [undefined, (use) => (use.isConfigured ? 'yes' : 'no'), 'CONFIGURED'],
    ['current', (use) => use.isCurrent],
    ['live_pairs', (use) => use.livePairs, 'LIVE PAIRS'],
    ['advice', (use) => use.advice, 'WHAT TO DO', 'wrap'],
  ],
  whenEmpty: 'No peppers found.',
};

function drawCommand(io: CommandIo): Command {
  return readCommand(
    'draw',
    'generate the next pepper version for CREDENTIAL_PEPPERS; it is printed once and never stored',
  ).action(({ json }: { json?: boolean }) =>
    runRead(
      io,
      ({ keyPairs }) => keyPairs.reportPeppers(),
      ({ versions }) => {
        const version = Math.max(0, ...versions.map((use) => use.version)) + 1;
        const pepper = `${version}:${randomBytes(48).toString('base64url')}`;
        if (json) {
          printJson(io, { version, pepper });
          return;
        }
        printRecord(io, { version, pepper });
        printLine(
          io.stderr,
          'Append it to CREDENTIAL_PEPPERS after a comma, for these commands and for all processes of the service. Restart the processes one by one.\nIssue and rotate key pairs only after that: a process without this pepper rejects the new pairs. "peppers show" lists the pairs to rotate.',
        );
      },
    ),
  );
}

function showCommand(io: CommandIo): Command {
  return readCommand(
    'show',
    'list pepper versions, and the live key pairs to rotate before you remove an old version. Exit code 3: a live pair needs a version that is not in CREDENTIAL_PEPPERS',
  ).action(({ json }: { json?: boolean }) =>
    runRead(
      io,
      ({ keyPairs }) => keyPairs.reportPeppers(),
      ({ versions, toRotate, isPepperMissing }) => {
        if (isPepperMissing) io.exitCode = exitCodes.found;
        printList(io, listedVersions, versions, json, { to_rotate: toRotate.map(pairAsJson) });
        if (json || toRotate.length === 0) return;
        printLine(io.stdout, '\nRotate these pairs (keys rotate) before you remove an older pepper:');
        printTable(
          io,
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

export function peppersCommand(io: CommandIo): Command {
  return new Command('peppers')
    .description('list and generate peppers, the server-side keys that protect stored API secrets')
    .addCommand(showCommand(io))
    .addCommand(drawCommand(io));
}
