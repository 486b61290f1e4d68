import { signedCents } from '@contribution-service/bank-files';

import { formatCents } from '../../../../shared/money';
import { explanationOf } from '../sentences';
import type { EntryBody } from './lines.fields';
import type { LineSource, ReportLine } from './report-line';

const dollars = (cents: string): string => formatCents(BigInt(cents));

export const presentLine = (line: ReportLine): EntryBody => ({
  entry_id: line.entry_id,
  account_id: line.account_id,
  account_ending: line.ending,
  account_name: line.name,
  file_id: line.file_id,
  statement_id: line.statement_id,
  bank_statement_id: line.bank_statement_id,
  statement_number: line.statement_number,
  line: line.number,
  part: line.part,
  day: line.day,
  booking_date: line.own_day ?? line.day,
  direction: line.direction,
  amount: dollars(line.amount_cents),
  signed_amount: formatCents(signedCents(line.direction, BigInt(line.amount_cents))),
  charges: dollars(line.charges_cents),
  bank_reference: line.reference,
  bank_code: line.code,
  return_code: line.return_code,
  state: line.state ?? 'pending',
  outcome: line.outcome,
  reason: line.reason,
  explanation: explanationOf(line),
  is_decided: line.is_decided,
  is_pending: line.is_pending,
  term: line.term,
  term_amount: dollars(line.term_cents),
  charge_amount: dollars(line.fee_cents),
  allocations: line.allocations.map((one) => ({
    transaction_id: one.transaction_id,
    kind: one.kind,
    amount: dollars(one.amount_cents),
    confidence: one.confidence,
    state: one.state,
  })),
  replaced_by: line.replaced_by,
});

export const presentSource = ({ statement_number: number, ...source }: LineSource) => ({
  file_id: source.file_id,
  statement_id: source.statement_id,
  format: source.format,
  bank_statement_id: source.bank_statement_id,
  number,
  made_at: source.made_at,
  state: source.state,
  lines: source.lines,
});
