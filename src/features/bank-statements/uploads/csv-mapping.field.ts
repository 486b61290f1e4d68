import { csvDelimiters, dayOf } from '@contribution-service/bank-files';
import { z } from 'zod';

import { optionalField, refuse } from '../../../http/request/fields';

const column = z.union([z.string().min(1).max(100), z.int().min(1).max(500)]);
const words = z.array(z.string().min(1).max(100)).min(1).max(50);
const day = z
  .string()
  .refine((text) => text.length === 10 && dayOf(text) === text, 'send a day such as 2026-11-30');
const balance = z
  .string()
  .regex(/^-?\d{1,12}\.\d{2}$/, 'send an amount such as 25.00')
  .transform((text) => BigInt(text.replace('.', '')));

/** The reader of CSV files knows these members: see `CsvMapping`. This list is the contract. */
const mapping = z
  .strictObject({
    date: column,
    date_format: z.string().min(4).max(30).default('YYYY-MM-DD'),
    amount: column.optional(),
    inverted: z.boolean().optional(),
    credit: column.optional(),
    debit: column.optional(),
    negative: z
      .array(z.enum(['credit', 'debit']))
      .max(2)
      .optional(),
    direction: z
      .strictObject({ column, credit: words, debit: words, signed: z.boolean().optional() })
      .optional(),
    status: z.strictObject({ column, booked: words }).optional(),
    fee: z.strictObject({ column, is_deducted: z.boolean(), is_negative: z.boolean().optional() }).optional(),
    decimal: z.enum(['.', ',']).default('.'),
    delimiter: z.enum(csvDelimiters).default(','),
    texts: z.array(column).min(1).max(10),
    split_texts: z.array(column).min(1).max(10).optional(),
    bank_reference: column.optional(),
    code: column.optional(),
    currency: column.optional(),
    currency_code: z.string().length(3).optional(),
    ignore: z.array(column).max(50).optional(),
    header_line: z.int().min(0).max(1_000).optional(),
    from: day.optional(),
    to: day.optional(),
    opening_balance: balance.optional(),
    closing_balance: balance.optional(),
  })
  .refine(
    ({ amount, credit, debit }) =>
      amount === undefined ? credit !== undefined && debit !== undefined : !credit && !debit,
    'send either amount, or credit and debit',
  )
  .refine(
    ({ from, to }) => (from === undefined) === (to === undefined) && (from ?? '') <= (to ?? ''),
    'send both from and to, or neither',
  )
  .transform(({ opening_balance: opening, closing_balance: closing, ...rest }) => ({
    ...{ ...rest, opening_cents: opening, closing_cents: closing },
  }));

const longestMapping = 4_000;

/** A mapping as JSON, in the query. */
export const csvMapping = optionalField(
  {
    type: 'string',
    maxLength: longestMapping,
    description:
      'For a CSV file: a JSON object that maps members such as `date` and `amount` to columns of the file. The guide lists all members.',
    examples: ['{"date":"Date","amount":"Amount","texts":["Description"]}'],
  },
  (value) => {
    if (typeof value !== 'string' || value.length > longestMapping) {
      return refuse('invalid_length', `Send a JSON object of at most ${longestMapping} characters.`);
    }
    let members: unknown;
    try {
      members = JSON.parse(value);
    } catch {
      return refuse('invalid_format', 'Send a JSON object.');
    }
    const parsed = mapping.safeParse(members);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    const where = issue?.path.join('.') ?? '';
    return refuse('invalid_format', `Invalid mapping: ${where} ${issue?.message ?? ''}`);
  },
);
