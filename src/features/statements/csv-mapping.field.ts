import { csvDelimiters, dayOf } from '@contribution-service/bank-files';
import { z } from 'zod';

import { optionalField, refuse } from '../../http/request/fields';

const column = z.string().min(1).max(100);
const day = z
  .string()
  .refine((text) => text.length === 10 && dayOf(text) === text, 'send a day such as 2026-11-30');

/** The reader of CSV files knows more members. This list is the contract. */
const mapping = z
  .strictObject({
    date: column,
    date_format: z.enum(['YYYY-MM-DD', 'MM/DD/YYYY', 'DD/MM/YYYY', 'DD.MM.YYYY']).default('YYYY-MM-DD'),
    amount: column.optional(),
    credit: column.optional(),
    debit: column.optional(),
    decimal: z.enum(['.', ',']).default('.'),
    delimiter: z.enum(csvDelimiters).default(','),
    texts: z.array(column).min(1).max(10),
    bank_reference: column.optional(),
    currency: column.optional(),
    from: day.optional(),
    to: day.optional(),
  })
  .refine(
    ({ amount, credit, debit }) =>
      amount === undefined ? credit !== undefined && debit !== undefined : !credit && !debit,
    'send either amount, or credit and debit',
  )
  .refine(
    ({ from, to }) => (from === undefined) === (to === undefined) && (from ?? '') <= (to ?? ''),
    'send both from and to, or neither',
  );

/** A mapping that the service accepts. */
export type AcceptedMapping = z.infer<typeof mapping>;

const longestMapping = 2_000;

/** A mapping as JSON, in the query. */
export const csvMapping = optionalField(
  {
    type: 'string',
    maxLength: longestMapping,
    description:
      'For a CSV file: a JSON object that maps members such as `date` and `amount` to the column names in the header of the file. The guide lists all members.',
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
    return refuse(
      'invalid_format',
      `Invalid mapping: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`,
    );
  },
);
