import type { ContributionService } from '../client.js';
import { RateLimited, RequestRejected } from '../errors.js';
import type { Contribution } from '../generated/api.js';
import type { BankAction, BankConfig } from './bank-config.js';
import { amountOf, centsOf } from './statement-formats/entry.js';
import type { UnfinishedAction, UnfinishedActions } from './unfinished-actions.js';

/** One line of the bank's output. */
export interface Event {
  transaction_id?: string;
  outcome: string;
  detail?: string;
}

export type Report = (event: Event) => void;

export const actionFor = ({ amount }: Contribution, { rules }: BankConfig): BankAction =>
  rules.find(({ amount_ends_in: end }) => amount.endsWith(end))?.do ?? 'complete';

/** The code of every simulated return: insufficient funds. */
export const returnCode = 'R01';

/** One cent more. */
const wrongAmount = (amount: string): string => amountOf(centsOf(amount) + 1n);

/** The outcome of a request. If the service refused it, `detail` has the reason. */
interface Outcome {
  outcome: string;
  detail?: string;
}

const fixes: Readonly<Record<string, string>> = {
  completion_reserved_for_bank:
    'If it is the simulated bank, end its link with: ./node_modules/.bin/contribution-service-sdk settings --bank none',
};

/** The outcome of a request. A rejection is an outcome. Other errors are thrown. */
async function outcomeOf(request: Promise<string>): Promise<Outcome> {
  try {
    return { outcome: await request };
  } catch (error) {
    if (!(error instanceof RequestRejected) || error instanceof RateLimited) throw error;
    const { code = 'rejected', detail } = error;
    return { outcome: code, detail: [detail, fixes[code]].filter(Boolean).join(' ') };
  }
}

const ownReference = (id: string): string => `BANK-${id}`;

type Known = UnfinishedAction['contribution'];

/** Completes one contribution. A repeat sends the same evidence, so it changes nothing. */
const complete = async (
  client: ContributionService,
  { transaction_id: id, amount, created_at: createdAt }: Known,
  reference = ownReference(id),
): Promise<Outcome> =>
  outcomeOf(
    client.bank
      .complete(id, { amount, bank_reference: reference, value_date: createdAt.slice(0, 10) })
      .withResponse()
      .then(({ replayed }) => (replayed ? 'repeated' : 'completed')),
  );

/** Records that the whole amount of a contribution was returned. */
const giveBack = async (
  client: ContributionService,
  { transaction_id: id, amount, created_at: createdAt }: Known,
): Promise<Outcome> =>
  outcomeOf(
    client.bank
      .recordReturn(id, {
        kind: 'return',
        code: returnCode,
        amount,
        bank_reference: `${ownReference(id)}-R`,
        value_date: createdAt.slice(0, 10),
      })
      .then(() => 'returned'),
  );

/**
 * Carries out the action of the settings for one contribution.
 *
 * @returns false if the service refused a completion or a return, except an intended wrong amount
 */
export async function settle(given: UnfinishedAction, bank: SettlingBank): Promise<boolean> {
  if (given.action !== 'complete_twice' && given.action !== 'complete_and_return')
    return carryOut(given, bank);
  await bank.unfinished.add(given);
  const isRecorded = await carryOut(given, bank);
  await bank.unfinished.remove(given);
  return isRecorded;
}

export interface SettlingBank {
  client: ContributionService;
  report: Report;
  unfinished: UnfinishedActions;
  /** The reference of the transfer that pays several contributions. */
  jointReference: string;
}

/** Sends the requests of an action. Each of them is idempotent. */
async function carryOut(
  { contribution, action }: UnfinishedAction,
  { client, report, jointReference }: SettlingBank,
): Promise<boolean> {
  const { transaction_id: id, amount } = contribution;
  const done = (result: Outcome): boolean => {
    report({ transaction_id: id, ...result });
    return result.detail === undefined;
  };
  if (action === 'wrong_amount_first') {
    const { outcome } = await complete(client, { ...contribution, amount: wrongAmount(amount) });
    // The service is meant to refuse this completion.
    report({ transaction_id: id, outcome });
  }
  const reference = action === 'complete_together' ? jointReference : undefined;
  if (!done(await complete(client, contribution, reference))) return false;
  if (action === 'complete_twice') return done(await complete(client, contribution, `${ownReference(id)}-2`));
  return action !== 'complete_and_return' || done(await giveBack(client, contribution));
}
