import type { Command } from 'commander';

import { type DisputeKind, disputeKinds } from '../contribution-lookup/dispute-kinds';
import type { Resolution } from '../contribution-lookup/disputes.store';
import type { ListedEvent } from '../contribution-lookup/event-lookup.store';
import { OperatorError } from '../../shared/operator-error';
import type { CommandIo } from '../cli/command-io';
import { eventAsJson, shortType } from './listed-event';
import { readCommand, transactionIdArgument } from '../cli/options';
import { type Columns, printJson, printTable } from '../cli/output';
import { runRead } from './operations';

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

type ResolutionOf = Resolution & { of: DisputeKind['name'] };

const ofKind = (kind: DisputeKind, resolutions: readonly Resolution[]): ResolutionOf[] =>
  resolutions.map((resolution) => ({ ...resolution, of: kind.name }));

const merge = (events: readonly ListedEvent[], resolutions: readonly ResolutionOf[]): Happening[] =>
  [
    ...events.map(({ recordedAt: at, type, actor: by, evidence: details }) => ({
      at,
      what: shortType(type),
      by,
      details,
    })),
    ...resolutions.map(({ resolvedAt: at, operator: by, reason, of }) => ({
      at,
      what: 'resolved',
      by,
      details: { of, reason },
    })),
  ].sort((one, other) => one.at.getTime() - other.at.getTime());

export function historyCommand(io: CommandIo): Command {
  return readCommand(
    'history',
    'list all events of one contribution and the resolutions of its disputes, oldest first',
  )
    .addArgument(transactionIdArgument())
    .action((id: string, { json }: { json?: boolean }) =>
      runRead(
        io,
        async ({ events, disputes }) => {
          const happened = await events.history(id);
          if (happened.length === 0) throw new OperatorError(`There is no contribution ${id}.`);
          const resolutions: ResolutionOf[] = [];
          for (const name of Object.keys(disputes) as (keyof typeof disputes)[])
            resolutions.push(...ofKind(disputeKinds[name], await disputes[name].resolutions(id)));
          resolutions.sort((one, other) => one.resolvedAt.getTime() - other.resolvedAt.getTime());
          return { events: happened, resolutions };
        },
        ({ events, resolutions }) => {
          if (!json) {
            printTable(io, columns, merge(events, resolutions), '');
            return;
          }
          printJson(io, {
            transaction_id: id,
            events: events.map(eventAsJson),
            resolutions: resolutions.map(({ resolvedAt, operator, reason, of }) => ({
              resolved_at: resolvedAt,
              operator,
              reason,
              of,
            })),
          });
        },
      ),
    );
}
