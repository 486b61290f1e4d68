import { Command } from 'commander';

import type { AuditHead, OperatorAction } from '../audit/operator-actions.store';
import { look } from './operator';
import { limitOption, lookCommand, skipOption } from './options';
import { type Columns, oneMore, pageOf, type Paging, printJson, printTable } from './output';

const columns: Columns<OperatorAction> = [
  ['WHEN', (action) => action.actedAt, 'whole'],
  ['COMMAND', (action) => action.command, 'whole'],
  ['TARGET', (action) => action.target],
  ['WHO', (action) => action.databaseRole],
  ['CLAIMED NAME', (action) => action.claimedOperator],
  ['RESULT', (action) => JSON.stringify(action.result)],
  ['ARGUMENTS', (action) => JSON.stringify(action.arguments)],
];

/** As `verify --audit-head` takes it. */
const headText = ({ position, hash }: AuditHead): string => `${position}:${hash}`;

function headCommand(): Command {
  return lookCommand(
    'head',
    'print the head of the audit record. Store it where neither operators nor the database owner can change it. Later, verify --audit-head proves that nothing before it has changed',
  ).action(({ json }: { json?: boolean }) =>
    look(
      ({ actions }) => actions.head(),
      (head) => {
        const { position, hash, actedAt } = head;
        if (json) printJson({ head: headText(head), position, hash, acted_at: actedAt });
        else console.log([headText(head), ...(actedAt === null ? [] : [actedAt])].join(' '));
      },
    ),
  );
}

export function actionsCommand(): Command {
  return new Command('actions')
    .description('the audit record: what operators did')
    .addCommand(headCommand())
    .addCommand(
      lookCommand('list', 'list audit records, latest first')
        .option('--command <words>', 'only this command, such as "keys" or "keys revoke"')
        .addOption(limitOption(50))
        .addOption(skipOption())
        .action(({ json, command, ...paging }: { json?: boolean; command?: string } & Paging) =>
          look(
            ({ actions }) => actions.list({ command, ...oneMore(paging) }),
            (found) => {
              const { rows: actions, hasMore } = pageOf(found, paging);
              if (!json) {
                printTable(columns, actions, 'The audit record is empty.');
                return;
              }
              printJson({
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
