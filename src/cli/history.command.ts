import type { Command } from 'commander';

import type { LedgerEvent } from '../modules/ledger/ledger.store';
import type { Resolution } from '../modules/ledger/mismatches.store';
import { OperatorError } from '../shared/operator-error';
import { eventAsJson, shortType } from './events.command';
import { look } from './operator';
import { lookCommand, transactionIdArgument } from './options';
import { type Columns, printJson, printTable } from './output';

interface Happening {
  at: Date;
  what: string;
  by: string;
  details: object;
}

const columns: Columns<Happening> = [
  ['WHEN', ({ at }) => at, 'whole'],
  ['WHAT', ({ what }) => what, 'whole'],
  ['BY', ({ by }) => by],
  ['DETAILS', ({ details }) => JSON.stringify(details), 'wrap'],
];

const merge = (events: readonly LedgerEvent[], resolutions: readonly Resolution[]): Happening[] =>
  [
    ...events.map(({ recordedAt: at, type, actor: by, evidence: details }) => ({
      at,
      what: shortType(type),
      by,
      details,
    })),
    ...resolutions.map(({ resolvedAt: at, operator: by, reason }) => ({
      at,
      what: 'resolved',
      by,
      details: { reason },
    })),
  ].sort((one, other) => one.at.getTime() - other.at.getTime());

export function historyCommand(): Command {
  return lookCommand('history', 'everything that happened to one transaction, the oldest first')
    .addArgument(transactionIdArgument())
    .action((id: string, { json }: { json?: boolean }) =>
      look(
        async ({ ledger, mismatches }) => {
          const events = await ledger.history(id);
          if (events.length === 0) throw new OperatorError(`There is no transaction ${id}.`);
          return { events, resolutions: await mismatches.resolutions(id) };
        },
        ({ events, resolutions }) => {
          if (!json) {
            printTable(columns, merge(events, resolutions), '');
            return;
          }
          printJson({
            transaction_id: id,
            events: events.map(eventAsJson),
            resolutions: resolutions.map(({ resolvedAt, operator, reason }) => ({
              resolved_at: resolvedAt,
              operator,
              reason,
            })),
          });
        },
      ),
    );
}
