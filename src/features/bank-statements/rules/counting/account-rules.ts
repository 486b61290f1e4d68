import type { StatementLine } from '../reading/statement';

/** What a person said about lines of an account: "debits with code CHRG are charges". */
export interface AccountRule {
  direction: StatementLine['direction'];
  code: string;
  outcome: 'charge' | 'ignore';
}

/** What the rules of the account say about a line. */
export const ruleOf = (
  { direction, code }: StatementLine,
  rules: readonly AccountRule[],
): AccountRule['outcome'] | undefined =>
  code === null
    ? undefined
    : rules.find((rule) => rule.code === code && rule.direction === direction)?.outcome;
