import { randomUUID } from 'node:crypto';

import { type CsvMapping, readStatementFile } from '@contribution-service/bank-files';
import type { Pool } from 'pg';

import type { Database } from '../../src/db/pool/database';
import { createAccountRulesStore } from '../../src/features/bank-statements/accounts/account-rules.store';
import { createAccountDaysStore } from '../../src/features/bank-statements/days/account-days.store';
import { chooseInThread } from '../../src/features/bank-statements/days/choose-in-thread';
import { compareDay, type CompareDependencies } from '../../src/features/bank-statements/days/compare-day';
import { createDayAnswersStore } from '../../src/features/bank-statements/days/day-answers.store';
import { createDayLinesStore } from '../../src/features/bank-statements/days/day-lines.store';
import { hasProblems } from '../../src/features/bank-statements/reading/read-file';
import { createSearch } from '../../src/features/bank-statements/reading/search-ids';
import { readStatement } from '../../src/features/bank-statements/rules/reading/read-statement';
import { createNumbering } from '../../src/features/bank-statements/statements/number-equal-lines';
import { createStatementLinesStore } from '../../src/features/bank-statements/statements/statement-lines.store';
import { createKnownTo } from '../../src/features/bank-statements/contributions/known-contributions';
import type { Known } from '../../src/features/bank-statements/contributions/match-entry';
import { createStatedContributionsStore } from '../../src/features/bank-statements/contributions/stated-contributions.store';

/** What compares days. Contributions are found in `known`, or in the database without it. */
export function dependenciesOf(pool: Database, known?: Known): CompareDependencies {
  const stated = createStatedContributionsStore(pool);
  return {
    days: createAccountDaysStore(pool),
    lines: createDayLinesStore(pool),
    rules: createAccountRulesStore(pool),
    statements: createStatementLinesStore(pool),
    answers: createDayAnswersStore(pool),
    chooseVersion: chooseInThread,
    stated: known ? { visibleEnvironments: () => Promise.resolve(new Map()) } : stated,
    knownTo: known ? () => Promise.resolve(known) : createKnownTo(stated),
  };
}

/** An account whose statements are stored and compared in the database, as the service does it. */
export class StoredDays {
  readonly #statements;
  readonly dependencies: CompareDependencies;

  constructor(
    readonly admin: Pool,
    readonly pool: Database,
    readonly account: { environmentId: number; accountId: string },
    readonly known: Known,
    readonly now = new Date('2026-12-15T00:00:00Z'),
  ) {
    this.#statements = createStatementLinesStore(pool);
    this.dependencies = dependenciesOf(pool, known);
  }

  /** Stores the statements of a file. Returns its id. */
  async upload(content: string, { mapping }: { mapping?: CsvMapping } = {}): Promise<string> {
    const { environmentId, accountId } = this.account;
    const file = readStatementFile(Buffer.from(content), mapping);
    const fileId = randomUUID();
    const search = createSearch({ tags: this.known.tags, now: this.now });
    const read = [];
    for (const [at, statement] of file.statements.entries()) {
      const reading = readStatement(statement, {
        statementId: randomUUID(),
        format: file.format,
        hasProblems: hasProblems(file, at),
        uploadedOn: this.now.toISOString().slice(0, 10),
        search,
      });
      await this.#statements.addLines(environmentId, accountId, [...reading.lines].map(createNumbering()));
      read.push({ fileId, accountId, ...reading.end() });
    }
    await this.#statements.publish(environmentId, read);
    return fileId;
  }

  async void(fileId: string): Promise<number | 'month_closed'> {
    return this.#statements.void(this.account.environmentId, fileId, 'wrong file');
  }

  /** Queues the lines that name one of these references. */
  async queue(references: readonly string[]): Promise<void> {
    await this.dependencies.days.markReferences(this.account.environmentId, references);
  }

  async daysWithWork(): Promise<string[]> {
    const { rows } = await this.admin.query<{ day: string }>(
      'SELECT day::text FROM account_days WHERE environment_id = $1 AND has_work ORDER BY day',
      [this.account.environmentId],
    );
    return rows.map(({ day }) => day);
  }

  /** Compares one day, if no other process does. */
  async compare(day: string, isStopped = () => false): Promise<void> {
    const claimed = await this.dependencies.days.claim({ ...this.account, day });
    if (claimed) await compareDay(this.dependencies, claimed, isStopped);
  }

  /** Does the work of all days, the last ones first if `isReversed`. */
  async work(isReversed = false): Promise<void> {
    for (let days = await this.daysWithWork(); days.length > 0; days = await this.daysWithWork())
      for (const day of isReversed ? days.reverse() : days) await this.compare(day);
  }

  /** All that people see. */
  async seen() {
    const { environmentId } = this.account;
    const all = async <Row>(text: string): Promise<Row[]> =>
      (await this.admin.query<Row & object>(text, [environmentId])).rows;
    return {
      versions: await all<Record<'day' | 'version', string> & { closing_cents: string | null }>(
        `SELECT day::text, version, opening_cents, closing_cents, change_cents, question FROM account_days
          WHERE environment_id = $1 AND version IS NOT NULL ORDER BY day`,
      ),
      lines: await all<Record<'id' | 'state' | 'outcome' | 'cents', string> & { reason: string | null }>(
        `SELECT entry_id AS id, state, outcome, reason, amount_cents AS cents, charges_cents AS charges
           FROM line_outcomes WHERE environment_id = $1 AND entry_id IS NOT NULL ORDER BY entry_id`,
      ),
      replaced: await all(
        `SELECT day::text, amount_cents AS cents, count(*)::integer FROM line_outcomes
          WHERE environment_id = $1 AND state = 'replaced' GROUP BY day, amount_cents ORDER BY day, amount_cents`,
      ),
      money: await all<Record<'id' | 'paid' | 'returned' | 'charges', string>>(
        `SELECT transaction_id AS id, gross_cents AS paid, returned_cents AS returned, charges_cents AS charges
           FROM contribution_money
          WHERE environment_id = $1 AND (gross_cents, returned_cents, charges_cents) <> (0, 0, 0)
          ORDER BY transaction_id`,
      ),
      terms: await all(
        `SELECT term, sum(term_cents)::text AS cents, sum(fee_cents)::text AS fees FROM line_outcomes
          WHERE environment_id = $1 AND term IS NOT NULL GROUP BY term ORDER BY term`,
      ),
    };
  }
}
