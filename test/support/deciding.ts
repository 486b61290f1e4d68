import type { Pool } from 'pg';

import type { Database } from '../../src/db/pool/database';
import { createAccountRulesStore } from '../../src/features/bank-statements/accounts/account-rules.store';
import { createAnswersService } from '../../src/features/bank-statements/answers/answers.service';
import { createAnswersStore } from '../../src/features/bank-statements/answers/answers.store';
import { compareDay } from '../../src/features/bank-statements/days/compare-day';
import { createJudgeNow } from '../../src/features/bank-statements/decisions/judge-now';
import type { DecisionAction } from '../../src/features/bank-statements/decisions/line-decision';
import { createLineDecisionsService } from '../../src/features/bank-statements/decisions/line-decisions.service';
import { createLineDecisionsStore } from '../../src/features/bank-statements/decisions/line-decisions.store';
import { createMonthsService } from '../../src/features/bank-statements/months/months.service';
import { createMonthsStore } from '../../src/features/bank-statements/months/months.store';
import { createLostDecisionsStore } from '../../src/features/bank-statements/reporting/days/lost-decisions.store';
import type { Principal, Scope } from '../../src/shared/scopes';
import { addStatementAccount } from './statement-accounts';
import { StatementDays } from './statement-days';
import { StoredDays } from './stored-days';
import { contributions } from '../unit/bank-statements/bank-months';

interface SeenDay {
  day: string;
  version: string;
  question: { kind: string; versions: string[] } | null;
}

/** An account with persons who decide about it. Each has the services of an own process. */
export async function createDecidedAccount(
  admin: Pool,
  pool: Database,
  { whileCompleting = (): Promise<unknown> => Promise.resolve() } = {},
) {
  const account = await addStatementAccount(admin);
  const { environmentId, accountId } = account;
  const stored = new StoredDays(admin, pool, account, new StatementDays({ contributions }).known);
  const failures: unknown[] = [];
  const judgeNow = createJudgeNow({
    days: stored.dependencies.days,
    compare: (claimed, isStopped) => compareDay(stored.dependencies, claimed, isStopped),
    onFailure: (error) => failures.push(error),
  });
  const completed: string[] = [];
  const principal = {
    ...{ environmentId, apiKey: 'cpk_test_accountant' },
    scopes: ['reconciliation:resolve', 'contributions:complete'] as Scope[],
  } as unknown as Principal;
  const decisionStore = createLineDecisionsStore(pool);
  const decisions = createLineDecisionsService({
    store: decisionStore,
    judgeNow,
    stated: {
      visibleEnvironments: () => Promise.resolve(new Map([['K7Q2', 1]])),
      findContributions: (_viewer, _environmentId, ids) =>
        Promise.resolve(contributions.filter(({ transactionId }) => ids.includes(transactionId))),
    },
    contributions: {
      findRefused: () => Promise.resolve(undefined),
      async complete(_principal, id) {
        completed.push(id);
        return (await whileCompleting()) as never;
      },
    },
  });
  const months = createMonthsService(
    { store: createMonthsStore(pool), lost: createLostDecisionsStore(pool) },
    {
      now: () => new Date('2026-12-15T00:00:00Z'),
    },
  );
  return {
    ...{ stored, principal, accountId, environmentId, decisions, decisionStore, completed, failures, months },
    answers: createAnswersService({ store: createAnswersStore(pool), judgeNow }),
    rules: createAccountRulesStore(pool),
    /** Decides about a line, with a reason that says what. */
    async decide(
      entryId: string,
      action: DecisionAction,
      allocations: readonly [id: string, cents: bigint][] = [],
      more: { seen?: number; reason?: string } = {},
    ) {
      const given = allocations.map(([id, amount]) => ({ transaction_id: id, amount }));
      return decisions.decide(principal, entryId, { action, allocations: given, reason: action, ...more });
    },
    /** The days with a version, with their questions. */
    async days(): Promise<SeenDay[]> {
      const { rows } = await admin.query<SeenDay>(
        `SELECT day::text, version, question FROM account_days
          WHERE environment_id = $1 AND version IS NOT NULL ORDER BY day`,
        [environmentId],
      );
      return rows;
    },
    /** The ids of the lines of a day with an amount, in order. */
    async linesOf(cents: bigint, day = '2026-11-20'): Promise<string[]> {
      const { rows } = await admin.query<{ entry_id: string }>(
        `SELECT entry_id FROM line_outcomes
          WHERE environment_id = $1 AND day = $2 AND amount_cents = $3 AND entry_id IS NOT NULL ORDER BY occurrence`,
        [environmentId, day, cents],
      );
      return rows.map(({ entry_id: id }) => id);
    },
  };
}

export type DecidedAccount = Awaited<ReturnType<typeof createDecidedAccount>>;
