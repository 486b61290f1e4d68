import { endpoint } from '../../../http/contract';
import { pageSchema } from '../../../http/response/page';
import { statementAccountsContract } from '../../statements/statement-accounts.contract';
import { z } from 'zod';

const { list: earlierList, set: earlierSet } = statementAccountsContract;
const { body: earlierBody, example: earlierExample } = earlierSet.responses[200];

const account = z
  .strictObject({
    ...earlierBody.shape,
    coverage_reason: z.string().nullable().meta({
      description:
        'Why the next day with a statement is not covered, or why no day is. Null if all days with statements are covered',
    }),
    remembered_answer: z.enum(['newest', 'all_lines']).nullable().meta({
      description:
        'The answer that you remember for questions about two versions. To end it, undo an answer with `remember` = `nothing`',
    }),
  })
  .meta({ id: 'StatementAccount' });

const example = { ...earlierExample, coverage_reason: null, remembered_answer: null };

const list = endpoint({
  ...earlierList,
  responses: {
    200: {
      description: 'A page of accounts.',
      body: pageSchema(account),
      example: { data: [example], has_more: false, next_cursor: null },
    },
  },
});

const set = endpoint({
  ...earlierSet,
  errors: [...earlierSet.errors, 'decision_not_applicable'],
  responses: { 200: { description: 'The account.', body: account, example } },
});

export const accountsContract = { list, set };

export type AccountBody = z.output<typeof account>;
