import type { Database } from '../../../db/pool/database';
import { query } from '../../../db/query';
import type { AccountRule } from '../rules/counting/account-rules';

// $1 environment_id, $2 account_id, $3 direction, $4 code, $5 outcome, $6 reason, $7 who decided
const setRule = query('set_account_rule', 'SELECT set_account_rule($1, $2, $3, $4, $5, $6, $7) AS outcome', {
  writes: true,
});

// $1 environment_id, $2 account_id
const listRules = query(
  'list_account_rules',
  `
  SELECT n.* FROM (
    SELECT DISTINCT ON (r.code, r.direction) r.code, r.direction, r.outcome, r.reason, r.decided_by, r.decided_at
      FROM account_rules r
     WHERE r.environment_id = $1 AND r.account_id = $2
     ORDER BY r.code, r.direction, r.number DESC
  ) n
   WHERE n.outcome <> 'none'
   ORDER BY n.code, n.direction
  `,
);

// The rules of a closed month are those of its closing.
// $1 environment_id, $2 account_id, $3 day
const rulesOfDay = query(
  'read_rules_of_day',
  `
  SELECT n.code, n.direction, n.outcome FROM (
    SELECT DISTINCT ON (r.code, r.direction) r.code, r.direction, r.outcome FROM account_rules r
     WHERE r.environment_id = $1 AND r.account_id = $2
       AND r.decided_at <= COALESCE((
         SELECT m.closed_at FROM closed_months m
          WHERE m.environment_id = $1 AND m.month = date_trunc('month', $3::date)::date), 'infinity')
     ORDER BY r.code, r.direction, r.number DESC
  ) n
   WHERE n.outcome <> 'none'
  `,
);

/** A rule with the person who set it. */
export interface RecordedRule extends AccountRule {
  reason: string;
  decided_by: string;
  decided_at: Date;
}

export interface GivenRule extends Omit<AccountRule, 'outcome'> {
  /** `none` ends a rule. */
  outcome: AccountRule['outcome'] | 'none';
  reason: string;
}

/** What became of a rule. `no_rule`: there is none to end. */
export type RuleOutcome = 'set' | 'same' | 'no_rule' | 'no_account';

/** The rules of accounts about lines with a code of the bank. */
export function createAccountRulesStore(database: Pick<Database, 'run'>) {
  return {
    /** Sets or ends a rule, and queues the lines of open months with this code. */
    async set(environmentId: number, accountId: string, decidedBy: string, rule: GivenRule) {
      const { direction, code, outcome, reason } = rule;
      const values = [environmentId, accountId, direction, code, outcome, reason, decidedBy];
      const [row] = await database.run<{ outcome: RuleOutcome }>(setRule, values);
      return row?.outcome ?? 'no_account';
    },
    /** The rules that count, in the order of their codes. */
    list: (environmentId: number, accountId: string): Promise<RecordedRule[]> =>
      database.run(listRules, [environmentId, accountId]),
    /** The rules for the lines of a day. */
    ofDay: (environmentId: number, accountId: string, day: string): Promise<AccountRule[]> =>
      database.run(rulesOfDay, [environmentId, accountId, day]),
  };
}

export type AccountRulesStore = ReturnType<typeof createAccountRulesStore>;
