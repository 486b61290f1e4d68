import type { Client } from '../client.js';
import { ContributionError, InvalidInput, RateLimited, RequestRejected } from '../errors.js';
import type { Contribution } from '../generated/api.js';
import { FileIntentStore } from '../node/file-store.js';
import type { Settlement } from '../intents.js';
import { type BankConfig, type BankAction, readConfig } from './bank-config.js';
import { BankStatement, type Transfer } from './bank-statement.js';
import { type Command, type Context, textOf, UsageError } from './command.js';

/** One line of the bank's output. */
interface Event {
  transaction_id?: string;
  outcome: string;
  detail?: string;
}

type Report = (event: Event) => void;

const actionFor = ({ amount }: Contribution, { rules }: BankConfig): BankAction =>
  rules.find(({ amount_ends_in: end }) => amount.endsWith(end))?.do ?? 'complete';

/** One cent more. */
function wrongAmount(amount: string): string {
  const cents = String(BigInt(amount.replace('.', '')) + 1n).padStart(3, '0');
  return `${cents.slice(0, -2)}.${cents.slice(-2)}`;
}

/** Completes one contribution. A rejection is an outcome; other errors are thrown. */
async function complete(
  client: Client,
  { transaction_id: id, amount, created_at: createdAt }: Contribution,
  reference = `BANK-${id}`,
): Promise<string> {
  // A repeat after a restart sends the same evidence, so it changes nothing.
  const evidence = { amount, bank_reference: reference, value_date: createdAt.slice(0, 10) };
  try {
    const { replayed } = await client.bank.complete(id, evidence).withResponse();
    return replayed ? 'repeated' : 'completed';
  } catch (error) {
    if (error instanceof RequestRejected && !(error instanceof RateLimited)) return error.code ?? 'rejected';
    throw error;
  }
}

/** Carries out the action of the settings for one contribution. */
async function settle(
  client: Client,
  contribution: Contribution,
  action: BankAction,
  report: Report,
): Promise<void> {
  const { transaction_id: id, amount } = contribution;
  if (action === 'wrong_amount_first') {
    const wrong = { ...contribution, amount: wrongAmount(amount) };
    report({ transaction_id: id, outcome: await complete(client, wrong) });
  }
  report({ transaction_id: id, outcome: await complete(client, contribution) });
  if (action === 'complete_twice')
    report({ transaction_id: id, outcome: await complete(client, contribution, `BANK-${id}-2`) });
}

interface Pass {
  client: Client;
  config: BankConfig;
  done: Set<string>;
  report: Report;
  stop: AbortSignal;
}

/** Completes each pending contribution that is due. Stops early when the signal is aborted. */
async function pass({ client, config, done, report, stop }: Pass): Promise<void> {
  // First repeat the completions that an earlier run did not finish.
  const { remaining } = await client.recover();
  if (remaining.length > 0)
    report({ outcome: 'unknown', detail: `completions without an outcome: ${remaining.length}` });
  const dueUntil = Date.now() - config.after_seconds * 1_000;
  for await (const contribution of client.contributions.list({ status: 'pending' })) {
    const { transaction_id: id, created_at: createdAt } = contribution;
    // The list is in order of creation.
    if (stop.aborted || Date.parse(createdAt) > dueUntil) return;
    const action = actionFor(contribution, config);
    if (action === 'nothing' || done.has(id)) continue;
    await settle(client, contribution, action, report);
    // A rejection is final: the bank tries again only after a restart.
    done.add(id);
  }
}

/** Resolves after this time, or at once when the signal is aborted. */
const wait = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    if (signal.aborted) finish();
    else signal.addEventListener('abort', finish, { once: true });
  });

/** The transfer of a recorded completion. */
function transferOf({ intent }: Settlement): Transfer {
  const evidence = intent.body as Omit<Transfer, 'transaction_id'>;
  const { amount, bank_reference, value_date } = evidence;
  return { transaction_id: intent.transaction_id ?? '', amount, bank_reference, value_date };
}

async function serve(context: Context, config: BankConfig): Promise<void> {
  const { client: build, values, print } = context;
  const report: Report = (event) => {
    print(event, [event.transaction_id, event.outcome, event.detail].filter(Boolean).join('  '));
  };
  const statement = config.statement === undefined ? undefined : await BankStatement.open(config.statement);
  const client = build({
    store: new FileIntentStore(config.store),
    // After a crash, recover() reports the outcome, so no transfer is missing.
    async onSettled(settlement) {
      if (settlement.outcome === 'succeeded') await statement?.book(transferOf(settlement));
    },
  });
  const stop = new AbortController();
  const mustEnd = (): boolean => values['once'] === true || stop.signal.aborted;
  const end = (): void => {
    stop.abort();
  };
  process.once('SIGINT', end).once('SIGTERM', end);
  const done = new Set<string>();
  try {
    for (;;) {
      try {
        await pass({ client, config, done, report, stop: stop.signal });
      } catch (error) {
        const isTemporary =
          error instanceof ContributionError &&
          !(error instanceof InvalidInput) &&
          (error instanceof RateLimited || !(error instanceof RequestRejected));
        if (values['once'] === true || !isTemporary) throw error;
        // The next pass repeats completions without an outcome.
        report({ outcome: 'interrupted', detail: error.message });
      }
      await statement?.write();
      if (mustEnd()) return;
      await wait(config.interval_seconds * 1_000, stop.signal);
      if (mustEnd()) return;
    }
  } finally {
    process.removeListener('SIGINT', end).removeListener('SIGTERM', end);
  }
}

export const bank: Command = {
  summary: 'run a simulated bank, which completes pending contributions',
  help: `Usage: contribution-service-sdk bank --config FILE [OPTIONS]

Completes the pending contributions of your test environment until you stop it. Use the key pair of a bank,
or of a company without a bank. Completions without an outcome are stored and repeated after a restart.

  --config FILE   the settings and rules, as JSON
  --once          check the pending contributions once, then stop

An example of the file. Only "store" is required. Without "statement", the bank writes none:
  {
    "store": "./bank-intents",
    "interval_seconds": 2,
    "after_seconds": 0,
    "statement": "./statement.xml",
    "rules": [
      { "amount_ends_in": ".41", "do": "wrong_amount_first" },
      { "amount_ends_in": ".42", "do": "complete_twice" },
      { "amount_ends_in": ".43", "do": "nothing" }
    ]
  }
The first rule that matches the amount applies: complete, complete_twice, wrong_amount_first or nothing.
complete_twice sends a second completion with another bank_reference.
If no rule matches, the bank completes the contribution.
The statement is a camt.053 file (ISO 20022) with one credit for each transfer. complete_twice has two,
and "nothing" has none.`,
  options: { config: { type: 'string' }, once: { type: 'boolean' } },
  worksInProduction: false,
  async run(context) {
    const file = textOf(context.values, 'config');
    if (file === undefined || context.positionals.length > 0)
      throw new UsageError('Pass the settings and rules with --config FILE.');
    await serve(context, await readConfig(file));
    return 0;
  },
};
