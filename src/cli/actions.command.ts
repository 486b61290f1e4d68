import { Command } from 'commander';

import type { OperatorAction } from '../modules/operators/operator-actions.store';
import { look } from './operator';
import { limitOption, lookCommand } from './options';
import { type Columns, printJson, printTable } from './output';

const columns: Columns<OperatorAction> = [
  ['WHEN', (action) => action.actedAt, 'whole'],
  ['COMMAND', (action) => action.command, 'whole'],
  ['TARGET', (action) => action.target],
  ['WHO', (action) => action.operator],
  ['RESULT', (action) => JSON.stringify(action.result)],
  ['ARGUMENTS', (action) => JSON.stringify(action.arguments)],
];

export function actionsCommand(): Command {
  return new Command('actions').description('the record of what operators did').addCommand(
    lookCommand('list', 'list what operators did, the latest first')
      .option('--command <words>', 'only of one command, such as "keys" or "keys revoke"')
      .addOption(limitOption(50))
      .action(({ json, command, limit }: { json?: boolean; command?: string; limit: number }) =>
        look(
          ({ actions }) => actions.list({ command, limit }),
          (actions) => {
            if (!json) {
              printTable(columns, actions, 'Nothing was done so far.');
              return;
            }
            printJson({
              actions: actions.map((action) => ({
                acted_at: action.actedAt,
                operator: action.operator,
                database_role: action.databaseRole,
                command: action.command,
                target: action.target,
                arguments: action.arguments,
                result: action.result,
              })),
            });
          },
        ),
      ),
  );
}
