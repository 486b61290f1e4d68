import { z } from 'zod';

import { endpoint } from '../../../../http/contract';
import { pageSchema } from '../../../../http/response/page';
import { reconciliationContract } from '../../../statements/reconciliation.contract';
import { entryExample } from '../lines/lines.contract';
import { entry } from '../lines/lines.fields';
import { plain, csvOf } from '../days/days.fields';

const { list: earlierList, summary: earlierSummary, ofContribution: earlierMoney } = reconciliationContract;

const explanation = z.string().meta({ description: 'What arrived, what is missing, and what to do' });
const explained = { explanation: '25.00 of 25.00 arrived. Its full amount arrived.' };

const members = earlierMoney.responses[200].body.omit({ entries: true }).shape;
const [example] = earlierList.responses[200].example.data;

const position = z.strictObject({ ...members, explanation }).meta({ id: 'ContributionPosition' });

export type PositionBody = z.output<typeof position>;

const list = endpoint({
  ...earlierList,
  responses: {
    200: {
      description: 'A page of contributions.',
      body: pageSchema(position),
      csv: csvOf(position, plain(...(Object.keys(position.shape) as (keyof PositionBody)[]))),
      example: { data: [{ ...example, ...explained }], has_more: false, next_cursor: null },
    },
  },
});

const counts = earlierSummary.responses[200].body.omit({ files_to_compare: true }).shape;

const summary = endpoint({
  ...earlierSummary,
  responses: {
    200: {
      description: 'One element for each position that occurs.',
      body: z.strictObject({
        ...counts,
        days_to_compare: z.int().meta({
          description:
            'Number of days of your accounts whose lines the service is still comparing. If it is not 0, payments can be missing: read the summary again later',
        }),
      }),
      example: {
        ...{ is_complete: true, days_to_compare: 0, open: 0 },
        positions: earlierSummary.responses[200].example.positions,
      },
    },
  },
});

const ofContribution = endpoint({
  ...earlierMoney,
  responses: {
    200: {
      description: 'The position and its entries.',
      body: z.strictObject({
        ...members,
        explanation,
        entries: z
          .array(entry)
          .meta({ description: 'The entries that pay or return it, or may do. At most 100' }),
      }),
      example: { ...example, ...explained, entries: [entryExample] },
    },
  },
});

export const positionsContract = { list, summary, ofContribution };
