import { z } from 'zod';

import { contributionStatuses } from './contribution-status.field';

export const transactionId = z.string().meta({
  description: 'Unique identifier of the contribution',
  pattern: '^[0-9A-Z]{15}$',
  examples: ['K7Q20CR5M3V9XHG'],
});

const status = z.enum(contributionStatuses).meta({
  description: 'More values may be added. Treat an unknown value as not completed.',
  'x-open-enum': true,
});

/** An amount in a response. */
export const dollars = (description: string, example: string) =>
  z.string().meta({ description, pattern: '^[0-9]+\\.[0-9]{2}$', examples: [example] });

/** A contribution as its company sees it. A bank sees it without the last three fields. */
export const contribution = z
  .strictObject({
    transaction_id: transactionId,
    company_id: z.uuid().meta({ description: 'The company that created the contribution' }),
    company_name: z.string(),
    status,
    project_id: z.int(),
    amount: dollars('Amount in US dollars, with two decimals', '25.00'),
    currency: z.literal('USD'),
    returned_amount: dollars('Sum of all returns, minus undos', '0.00'),
    net_amount: dollars('`amount` minus `returned_amount`; 0.00 while the completion is corrected', '25.00'),
    created_at: z.iso.datetime(),
    completed_at: z.iso.datetime().nullable(),
    corrected_at: z.iso.datetime().nullable().meta({
      description: 'When the completion was taken back. Null again after the next completion',
    }),
    completed_by_you: z.boolean().meta({
      description: 'Whether your environment completed the contribution. False while it is pending',
    }),
    bank_reference: z.string().nullable(),
    value_date: z.iso.date().nullable(),
    user_hash: z.string().nullable().optional().meta({
      description:
        "Visible only to the company that created the contribution. Null after the operator deletes the user's hash and name",
    }),
    name: z
      .string()
      .nullable()
      .optional()
      .meta({ description: 'Visible only to the company that created the contribution' }),
    idempotency_key: z
      .string()
      .nullable()
      .optional()
      .meta({ description: 'Visible only to the company that created the contribution' }),
  })
  .meta({ id: 'Contribution' });

export const contributionExample = {
  transaction_id: 'K7Q20CR5M3V9XHG',
  company_id: '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b',
  company_name: 'Brightside Apps',
  status: 'completed',
  project_id: 1,
  amount: '25.00',
  currency: 'USD',
  returned_amount: '0.00',
  net_amount: '25.00',
  created_at: '2026-11-20T09:30:00.000Z',
  completed_at: '2026-11-20T09:31:12.000Z',
  corrected_at: null,
  completed_by_you: true,
  bank_reference: 'FT-2026-0042',
  value_date: '2026-11-20',
} as const;
