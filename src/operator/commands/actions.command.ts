import { Command } from 'commander';

import type { AuditHead, OperatorAction } from '../audit/operator-actions.store';
import { type CommandIo, printLine } from '../cli/command-io';
import { limitOption, readCommand, skipOption } from '../cli/options';
import { type List, oneMore, type Paging, printJson, printPage } from '../cli/output';
import { runRead } from './operations';

const entries: List<OperatorAction> = {
  name: 'actions',
  fields: [
    ['position', (action) => action.position],
    ['acted_at', (action) => action.actedAt, 'WHEN', 'whole'],
    ['command', (action) => action.command, 'COMMAND', 'whole'],
    ['target', (action) => action.target, 'TARGET'],
    ['database_role', (action) => action.databaseRole, 'WHO'],
    ['claimed_operator', (action) => action.claimedOperator, 'CLAIMED NAME'],
    ['result', (action) => action.result],
    [undefined, (action) => JSON.stringify(action.result), 'RESULT'],
    ['arguments', (action) => action.arguments],
    [undefined, (action) => JSON.stringify(action.arguments), 'ARGUMENTS'],
  ],
  whenEmpty: 'The audit log is empty.',
};

/** The format that `verify --audit-head` accepts. */
const headText = ({ position, hash }: AuditHead): string => `${position}:${hash}`;

function headCommand(io: CommandIo): Command {
  return readCommand(
    'head',
    'print the head of the audit log: the position and hash of its last entry. Store it where neither operators nor the database owner can change it. Later, "verify --audit-head" proves that the log is unchanged up to this entry',
  ).action(({ json }: { json?: boolean }) =>
    runRead(
      io,
      ({ actions }) => actions.head(),
      (head) => {
        const { position, hash, actedAt } = head;
        if (json) printJson(io, { head: headText(head), position, hash, acted_at: actedAt });
        else printLine(io.stdout, [headText(head), ...(actedAt === null ? [] : [actedAt])].join(' '));
      },
    ),
  );
}

export function actionsCommand(io: CommandIo): Command {
  return new Command('actions')
    .description(
      'show the audit log. Every command that changes something adds one entry, and so does "users export"',
    )
    .addCommand(headCommand(io))
    .addCommand(
      readCommand('list', 'list entries, latest first')
        .option('--command <words>', 'only entries of this command or group, such as "keys revoke" or "keys"')
        .addOption(limitOption(50))
        .addOption(skipOption())
        .action(({ command, ...options }: { json?: boolean; command?: string } & Paging) =>
          runRead(
            io,
            ({ actions }) => actions.list({ command, ...oneMore(options) }),
            (found) => {
              printPage(io, entries, found, options);
            },
          ),
        ),
    );
}
