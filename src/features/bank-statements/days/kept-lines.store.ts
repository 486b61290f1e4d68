import type { Database } from '../../../db/pool/database';
import { membersOf, query } from '../../../db/query';
import { groupBy } from '../../../shared/group-by';
import { type LineDecision, lineKey } from '../rules/counting/decisions';
import type { KeptLines } from '../rules/counting/kept-lines';
import type { LineState, ProposalReason } from '../rules/counting/line-state';
import { lineRef } from '../rules/versions/choose-version';
import type { AccountDay } from './account-day';
import { entryIdOf } from './line-outcomes';

// $1 environment_id, $2 account_id, $3 day, $4 buckets
const readOutcomes = query(
  'read_outcomes_of_buckets',
  `
  SELECT ${membersOf('o', 'statementId', 'number', 'part', 'state', 'replacedBy', 'reason', 'content', 'occurrence', 'decisionEntryId')}
    FROM line_outcomes o
   WHERE o.environment_id = $1 AND o.account_id = $2 AND o.day = $3::date AND o.bucket = ANY ($4::smallint[])
   ORDER BY o.statement_id, o.number, o.part
  `,
);

/** What a line of a closed month is since the closing. */
export interface KeptOutcome {
  statementId: string;
  number: number;
  /** 0, or the number of a part that a notification supplied. */
  part: number;
  state: LineState['state'];
  replacedBy: string | null;
  reason: string | null;
  content: string;
  /** Null if it is replaced. */
  occurrence: number | null;
  decisionEntryId: string | null;
}

function stateOf({ state, replacedBy, reason }: KeptOutcome): LineState {
  if (state === 'proposed') return { state, reason: reason as ProposalReason };
  return state === 'replaced' ? { state, by: replacedBy ?? '' } : { state };
}

export function keptLinesOf(outcomes: readonly KeptOutcome[]): KeptLines {
  const parts = groupBy(
    outcomes.filter(({ part }) => part > 0),
    lineRef,
  );
  return {
    states: new Map(outcomes.map((one) => [lineRef(one), stateOf(one)])),
    parts: new Map([...parts].map(([ref, some]) => [ref, some.map(({ content }) => content)])),
  };
}

/** The decisions that counted for these lines at the closing, by line key. */
export function keptDecisions(
  { accountId, day }: AccountDay,
  outcomes: readonly KeptOutcome[],
  decisions: readonly LineDecision[],
): Map<string, LineDecision> {
  const known = new Map(decisions.map((one) => [entryIdOf(accountId, lineKey(one, one.occurrence)), one]));
  return new Map(
    outcomes.flatMap(({ content, occurrence, decisionEntryId }) => {
      const decision = known.get(decisionEntryId ?? '');
      return decision && occurrence !== null ? [[lineKey({ day, content }, occurrence), decision]] : [];
    }),
  );
}

export function createKeptLinesStore(database: Pick<Database, 'run'>) {
  return {
    /** The outcomes of these buckets, in the order of the lines. */
    outcomesIn: (
      { environmentId, accountId, day }: AccountDay,
      buckets: readonly number[],
    ): Promise<KeptOutcome[]> => database.run(readOutcomes, [environmentId, accountId, day, buckets]),
  };
}
