import type { Database } from '../../db/pool/database';
import { query } from '../../db/query';
import type { Reading } from '../../metrics/readings';
import { type DisputeName, disputeNames } from '../../shared/dispute-names';
import { type EnvironmentKind, environmentKinds } from '../../shared/scopes';

const ages = ['under_1_day', 'over_1_day'] as const;

const countOpenDisputes = query(
  'count_open_disputes',
  'SELECT d.environment_kind, d.kind, d.under_1_day, d.over_1_day FROM count_open_disputes() d',
);

interface CountRow extends Record<(typeof ages)[number], number> {
  environment_kind: EnvironmentKind;
  kind: DisputeName;
}

/**
 * Counts the contributions that the operators' lists of disputes show. The counts come from the
 * tables, so a restart does not reset them.
 */
export const openDisputesReading = (database: Pick<Database, 'run'>): Reading => ({
  gauges: [
    {
      name: 'contribution_open_disputes',
      help: 'Contributions with a dispute that no operator has resolved, by its kind and the age of its last event.',
      labelNames: ['environment_kind', 'kind', 'age'],
    },
  ],
  async read() {
    const rows = await database.run<CountRow>(countOpenDisputes, []);
    const count = (environmentKind: EnvironmentKind, kind: DisputeName) =>
      rows.find((row) => row.environment_kind === environmentKind && row.kind === kind);
    return [
      environmentKinds.flatMap((environmentKind) =>
        disputeNames.flatMap((kind) =>
          ages.map((age) => ({
            labels: { environment_kind: environmentKind, kind, age },
            value: count(environmentKind, kind)?.[age] ?? 0,
          })),
        ),
      ),
    ];
  },
});
