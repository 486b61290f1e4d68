import { z } from 'zod';

import { endpoint } from '../../http/contract';
import { dayRange, daysInOrder } from '../../http/request/day-range';
import { contributionStatuses } from '../../core/contributions/contribution-status.field';
import { dollars } from '../../core/contributions/contribution-response.fields';
import { totalsBases, totalsKeys } from './totals.field';

const sums = {
  contributions: z.int().meta({ description: 'Number of contributions' }),
  amount: dollars('Sum of their amounts, including pending contributions', '1250.00'),
  completed_contributions: z.int().meta({ description: 'Number of completed contributions' }),
  completed_amount: dollars('Sum of the amounts of completed contributions', '1200.00'),
  returned_amount: dollars('Sum of all returns, minus undos', '25.00'),
  corrected_amount: dollars('Sum of the amounts whose completion was corrected', '0.00'),
  net_amount: dollars('`completed_amount` minus `returned_amount` and `corrected_amount`', '1175.00'),
};

const row = z
  .strictObject({
    day: z.iso.date().optional().meta({ description: 'Only with `by=day`: the UTC day, or the value date' }),
    project_id: z.int().optional().meta({ description: 'Only with `by=project`' }),
    company_id: z.uuid().optional().meta({ description: 'Only with `by=company`' }),
    company_name: z.string().optional().meta({ description: 'Only with `by=company`' }),
    status: z.enum(contributionStatuses).optional().meta({
      description: 'Only with `by=status`. More values may be added.',
      'x-open-enum': true,
    }),
    ...sums,
  })
  .meta({ id: 'ContributionTotals' });

const example = {
  contributions: 50,
  amount: '1250.00',
  completed_contributions: 48,
  completed_amount: '1200.00',
  returned_amount: '25.00',
  corrected_amount: '0.00',
  net_amount: '1175.00',
};

export const totalsContract = {
  summarize: endpoint({
    operationId: 'summarizeContributions',
    method: 'get',
    path: '/company/integration/contributions/summary',
    summary: 'Get totals of contributions',
    description:
      'Get the number of contributions and the sums of their amounts, per UTC day, project, company or status. A company gets those that it created, and a bank those that it sees in its list. The range applies to the date that `basis` selects: the day of creation or completion, or the value date that the bank sent. A return counts toward the date of its contribution. The totals lag by one to three minutes. They include every change before `complete_until`.',
    origin: 'addition',
    scope: 'contributions:read',
    trafficClass: 'lists',
    query: z
      .strictObject({
        ...dayRange,
        by: z
          .enum(totalsKeys, { error: 'Send day, project, company or status.' })
          .optional()
          .transform((value) => value ?? 'day')
          .meta({ default: 'day' }),
        basis: z
          .enum(totalsBases, { error: 'Send created, completed or value_date.' })
          .optional()
          .transform((value) => value ?? 'created')
          .meta({ default: 'created' }),
      })
      .superRefine(daysInOrder),
    responses: {
      200: {
        description: 'The totals. Groups without contributions are omitted.',
        body: z.strictObject({
          data: z.array(row),
          total: z.strictObject(sums),
          currency: z.literal('USD'),
          complete_until: z.iso.datetime().nullable().meta({
            description:
              'Every creation, completion, return and correction before this time is counted. Null until the service has counted for the first time.',
          }),
        }),
        example: {
          data: [{ day: '2026-11-20', ...example }],
          total: example,
          currency: 'USD',
          complete_until: '2026-11-21T09:58:00.000Z',
        },
      },
    },
  }),
};
