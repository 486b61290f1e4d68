import type { SettleSandboxContributionBody } from '../generated/api.js';
import { columns, type Command, integerOf, textOf, UsageError, type Values } from './command.js';

/** Contains only the given options. The service has defaults for the other options. */
function bodyOf(values: Values): SettleSandboxContributionBody {
  const members = {
    amount: textOf(values, 'amount'),
    bank_reference: textOf(values, 'bank-reference'),
    value_date: textOf(values, 'value-date'),
    times: integerOf(values, 'times'),
    after_seconds: integerOf(values, 'after-seconds'),
  };
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

export const settle: Command = {
  summary: 'let the simulated bank complete a contribution',
  help: `Usage: contribution-service-sdk settle TRANSACTION_ID [OPTIONS]

Lets the simulated bank of the test environment complete a contribution. Every call adds attempts.

  --amount AMOUNT           the amount that the bank reports
  --bank-reference TEXT     the bank's reference
  --value-date DATE         the date of the transfer, such as 2026-11-20
  --times N                 number of attempts, 1 to 5, default 1
  --after-seconds N         delay of the attempts in seconds, at most 3600, default 0`,
  options: {
    amount: { type: 'string' },
    'bank-reference': { type: 'string' },
    'value-date': { type: 'string' },
    times: { type: 'string' },
    'after-seconds': { type: 'string' },
  },
  worksInProduction: false,
  left: 'The simulated bank has the attempts. This cannot be undone. GET /contributions/TRANSACTION_ID shows the contribution.',
  async run({ client, positionals, values, print }) {
    const [id, ...others] = positionals;
    if (id === undefined || others.length > 0) throw new UsageError('Pass one transaction_id.');
    const settled = await client().sandbox.settle(id, bodyOf(values));
    print(
      settled,
      columns(settled.attempts.map(({ due_at: dueAt, outcome }) => [settled.transaction_id, dueAt, outcome])),
    );
    return 0;
  },
};
