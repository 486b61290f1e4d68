import { z } from 'zod';

import { transactionId } from '../../../../core/contributions/contribution-response.fields';
import { confidences, directions, entryOutcomes, openEnum } from '../../statement.fields';
import { cents, csvOf, joined, plain, statement } from '../days/days.fields';

export const terms = ['matched', 'returned', 'charges', 'ignored', 'unexplained'] as const;
export const lineStates = ['counted', 'proposed'] as const;

export const entry = z
  .strictObject({
    entry_id: z.uuid().nullable().meta({
      description:
        'The same in all statements that have the line. Null for a line that another statement replaces, and before it was compared',
    }),
    account_id: z.uuid(),
    account_ending: z.string().nullable(),
    account_name: z.string().nullable(),
    file_id: z.uuid(),
    statement_id: z.uuid(),
    bank_statement_id: z.string().nullable(),
    statement_number: z.string().nullable().meta({ description: "The bank's number of the statement" }),
    line: z.int().meta({
      description: 'The number of the entry in its statement, from 1. A CSV file may have a header above it',
    }),
    part: z.int().meta({
      description: 'Above 0 for a part of a batch entry that only a notification states',
    }),
    day: z.iso.date().meta({ description: 'The day of the statement to which it belongs' }),
    booking_date: z.iso.date().meta({ description: 'The day that the bank states' }),
    direction: openEnum(directions, 'Whether the account received or paid'),
    amount: cents('Booked amount'),
    signed_amount: cents('The amount, negative for a debit'),
    charges: cents(
      'What the bank kept. Of a payment, it comes on top of the amount and counts as paid. Of a return, it is a part of the amount',
    ),
    bank_reference: z.string().nullable(),
    bank_code: z.string().nullable().meta({ description: 'The code of the bank for the kind of line' }),
    return_code: z.string().nullable(),
    state: openEnum(
      [...lineStates, 'replaced', 'pending'],
      'Whether it counts in the sums of its day, whatever its `outcome` is. `counted`: it does. `proposed`: not before somebody decides. `replaced`: another statement has it instead. `pending`: it is being compared',
    ),
    outcome: openEnum(entryOutcomes, 'See the table of outcomes in the guide').nullable(),
    reason: z.string().nullable().meta({ description: 'A code, such as `no_reference`' }),
    explanation: z.string().meta({ description: 'What the line is, and what to do about it' }),
    is_decided: z.boolean(),
    is_pending: z.boolean().meta({ description: 'Whether the lines of its day are being compared' }),
    term: openEnum(terms, 'The term of the reconciliation to which it belongs').nullable(),
    term_amount: cents('What it adds to this term'),
    charge_amount: cents('What it adds to the term `charges` besides'),
    allocations: z
      .array(
        z.strictObject({
          transaction_id: transactionId,
          kind: openEnum(['payment', 'return'], 'Whether the money arrived or was returned'),
          amount: cents('The part of the line for this contribution'),
          confidence: openEnum(confidences, 'How the contribution was found. `repaired` is never confirmed'),
          state: openEnum(['proposed', 'confirmed'], 'Only confirmed money counts'),
        }),
      )
      .meta({ description: 'At most 100' }),
    replaced_by: z
      .strictObject({ statement_ids: z.array(z.uuid()), file_ids: z.array(z.uuid()) })
      .nullable()
      .meta({ description: 'The statements that have the line instead' }),
  })
  .meta({ id: 'AccountEntry' });

export type EntryBody = z.output<typeof entry>;

export const source = statement
  .omit({ kind: true })
  .extend({
    state: openEnum([...lineStates, 'replaced'], 'What the line is in this statement'),
    lines: z.int().meta({ description: 'The number of equal lines in the statement' }),
  })
  .meta({ id: 'EntrySource' });

export const entriesAsCsv = csvOf(entry, {
  ...plain('account_id', 'account_ending', 'account_name', 'file_id', 'statement_id', 'bank_statement_id'),
  ...plain('statement_number', 'line', 'part', 'entry_id', 'day', 'booking_date', 'signed_amount', 'charges'),
  ...plain('bank_reference', 'bank_code', 'return_code', 'state', 'outcome', 'reason', 'explanation'),
  ...plain('is_decided', 'is_pending', 'term', 'term_amount', 'charge_amount'),
  transaction_ids: ({ allocations }) => joined(allocations.map(({ transaction_id: id }) => id)),
  confidence: ({ allocations }) => joined(allocations.map(({ confidence }) => confidence)),
  replaced_by_file_ids: ({ replaced_by: by }) => joined(by?.file_ids ?? []),
});
