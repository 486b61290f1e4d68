import { z } from 'zod';

import type { CsvForm } from '../../../../http/response/csv';
import { openEnum } from '../../statement.fields';
import { cents } from '../days/days.fields';
import { terms } from '../lines/lines.fields';

const noteKinds = ['no_balances', 'open', 'missing', 'pending', 'reported', 'not_exact'] as const;
export type NoteKind = (typeof noteKinds)[number];

export const reconciliationStatement = z
  .strictObject({
    account_id: z.uuid(),
    account_ending: z.string().nullable(),
    account_name: z.string().nullable(),
    from: z.iso.date(),
    to: z.iso.date().meta({ description: 'The day after the last day' }),
    opening_balance: cents('Balance before the first day with a statement').nullable(),
    terms: z.array(
      z.strictObject({
        term: openEnum(terms, 'What the entries are'),
        amount: cents('Signed sum of the entries'),
        entries: z.int().meta({ description: 'The number of entries' }),
        entries_path: z.string().meta({ description: 'Lists exactly these entries' }),
      }),
    ),
    closing_balance: cents('Balance after the last day with a statement').nullable(),
    is_exact: z.boolean().nullable().meta({
      description:
        'Whether the opening balance plus all terms is the closing balance. Null if a balance is unknown, or if entries belong to no final statement',
    }),
    notes: z
      .array(
        z.strictObject({
          kind: openEnum(noteKinds, 'What is not final'),
          from: z.iso.date(),
          to: z.iso.date().meta({ description: 'The last day' }),
          text: z.string(),
        }),
      )
      .meta({ description: 'Why the numbers are not final. Empty if they are' }),
  })
  .meta({ id: 'ReconciliationStatement' });

type Body = z.output<typeof reconciliationStatement>;

const columns = [
  'account_id',
  'account_ending',
  'account_name',
  'from',
  'to',
  'item',
  'amount',
  'entries',
  'note',
];

/** A row for each balance, term and note. */
export const statementAsCsv: CsvForm = {
  columns,
  rowsOf(given) {
    const body = given as Body;
    const account = [body.account_id, body.account_ending, body.account_name];
    const of = [...account, body.from, body.to];
    return [
      [...of, 'opening', body.opening_balance, null, null],
      ...body.terms.map(({ term, amount, entries }) => [...of, term, amount, entries, null]),
      [...of, 'closing', body.closing_balance, null, null],
      ...body.notes.map(({ from, to, text }) => [...account, from, to, 'note', null, null, text]),
    ];
  },
};
