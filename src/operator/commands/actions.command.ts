import { Command } from 'commander';

import type { AuditHead, OperatorAction } from '../audit/operator-actions.store';
import { type CommandIo, printLine } from '../cli/command-io';
import { limitOption, lookCommand, skipOption } from '../cli/options';
import { type Columns, oneMore, pageOf, type Paging, printJson, printTable } from '../cli/output';
import { look } from './operations';

const columns: Columns<OperatorAction> = [
  ['WHEN', (action) => action.actedAt, 'whole'],
  ['COMMAND', (action) => action.command, 'whole'],
  ['TARGET', (action) => action.target],
  ['WHO', (action) => action.databaseRole],
  ['CLAIMED NAME', (action) => action.claimedOperator],
  ['RESULT', (action) => JSON.stringify(action.result)],
  ['ARGUMENTS', (action) => JSON.stringify(action.arguments)],
];

/** The format that `verify --audit-head` accepts. */
const headText = ({ position, hash }: AuditHead): string => `${position}:${hash}`;

function headCommand(io: CommandIo): Command {
  return lookCommand(
    'head',
    'print the head of the audit log: the position and hash of its last entry. Store it where neither operators nor the database owner can change it. Later, "verify --audit-head" proves that the log is unchanged up to this entry',
  ).action(({ json }: { json?: boolean }) =>
    look(
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
      lookCommand('list', 'list entries, latest first')
        .option('--command <words>', 'only entries of this command or group, such as "keys revoke" or "keys"')
        .addOption(limitOption(50))
        .addOption(skipOption())
        .action(({ json, command, ...paging }: { json?: boolean; command?: string } & Paging) =>
          look(
            io,
            ({ actions }) => actions.list({ command, ...oneMore(paging) }),
            (found) => {
              const { rows: actions, hasMore } = pageOf(io, found, paging);
              if (!json) {
                printTable(io, columns, actions, 'The audit log is empty.');
                return;
              }
              printJson(io, {
                actions: actions.map((action) => ({
                  position: action.position,
                  acted_at: action.actedAt,
                  database_role: action.databaseRole,
                  claimed_operator: action.claimedOperator,
                  command: action.command,
                  target: action.target,
                  arguments: action.arguments,
                  result: action.result,
                })),
                has_more: hasMore,
              });
            },
          ),
        ),
    );
}
