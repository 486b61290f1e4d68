import type { ComparedLine, StatementDay, StatementHead, StatementLine } from '../rules/reading/statement';

/** Amounts are text, because they may exceed what a number holds exactly. */
export interface StatementDayRow {
  statement_id: string;
  format: StatementHead['format'];
  is_final: boolean;
  bank_id: string | null;
  number: string | null;
  made_at: string | null;
  first_day: string;
  last_day: string;
  start_ms: number;
  end_ms: number;
  is_period_stated: boolean;
  covers_to: string;
  opening_cents: string | null;
  closing_cents: string | null;
  statement_cents: string;
  is_damaged: boolean;
  page_number: number | null;
  is_last_page: boolean | null;
  statement_digest: string;
  day: string;
  before_cents: string;
  change_cents: string;
}

export interface ComparedLineRow {
  statement_id: string;
  number: number;
  direction: ComparedLine['direction'];
  amount_cents: string;
  reference: string | null;
  ids: string;
  problem: ComparedLine['problem'];
  is_part: boolean;
  content: string;
}

export interface StatementLineRow extends ComparedLineRow {
  day: string;
  charges_cents: string;
  stated_cents: string | null;
  digest: string;
  own_day: string | null;
  return_code: string | null;
  code: string | null;
  search: StatementLine['search'];
  batch_cents: string | null;
}

const integer = (text: string | null): bigint | null => (text === null ? null : BigInt(text));

const headOf = (row: StatementDayRow): StatementHead => ({
  statementId: row.statement_id,
  format: row.format,
  isFinal: row.is_final,
  bankId: row.bank_id,
  number: integer(row.number),
  madeAt: row.made_at,
  from: row.first_day,
  to: row.last_day,
  startMs: row.start_ms,
  endMs: row.end_ms,
  isPeriodStated: row.is_period_stated,
  coversTo: row.covers_to,
  openingCents: integer(row.opening_cents),
  closingCents: integer(row.closing_cents),
  changeCents: BigInt(row.statement_cents),
  isDamaged: row.is_damaged,
  page: row.page_number === null ? null : { number: row.page_number, isLast: row.is_last_page ?? false },
  digest: row.statement_digest,
});

export const statementDayOf = (row: StatementDayRow): StatementDay => ({
  statement: headOf(row),
  statementIds: [row.statement_id],
  day: row.day,
  beforeCents: BigInt(row.before_cents),
  changeCents: BigInt(row.change_cents),
  lines: [],
});

export const comparedLineOf = (row: ComparedLineRow): ComparedLine => ({
  statementId: row.statement_id,
  number: row.number,
  direction: row.direction,
  cents: BigInt(row.amount_cents),
  reference: row.reference,
  ids: row.ids,
  problem: row.problem,
  isPart: row.is_part,
  content: row.content,
});

export const statementLineOf = (row: StatementLineRow): StatementLine => ({
  ...comparedLineOf(row),
  day: row.day,
  chargesCents: BigInt(row.charges_cents),
  statedCents: integer(row.stated_cents),
  digest: row.digest,
  ownDay: row.own_day,
  returnCode: row.return_code,
  code: row.code,
  search: row.search,
  batchCents: integer(row.batch_cents),
});
