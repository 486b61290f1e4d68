import type { ContributionService } from '../client.js';
import { ContributionError, InvalidInput, RateLimited, RequestRejected } from '../errors.js';
import { FileIntentStore } from '../node/file-store.js';
import type { Settlement } from '../intents.js';
import { actionFor, type Report, returnCode, settle } from './bank-actions.js';
import { type BankConfig, readConfig } from './bank-config.js';
import { BankStatement } from './bank-statement.js';
import { type Command, type Context, type ExitCode, textOf, UsageError } from './command.js';
import { csvMapping } from './statement-formats/csv.js';
import { jointReference, type Transfer } from './statement-formats/entry.js';
import { untilStopped, wait } from './stopping.js';
import { UnfinishedActions } from './unfinished-actions.js';

interface Pass {
  client: ContributionService;
  config: BankConfig;
  done: Set<string>;
  report: Report;
  unfinished: UnfinishedActions;
  stop: AbortSignal;
}

/** The result of a pass. */
interface Passed {
  /** The references of transfers with unknown outcomes. */
  unknown: ReadonlySet<string>;
  /** How many contributions the service refused to complete or to return. */
  refusedCount: number;
}

/** The most contributions that one transfer pays. A settlement list has at most 10,000 lines. */
const mostTogether = 5_000;

/** Completes each pending contribution that is due. Stops early when the signal is aborted. */
async function pass({ client, config, done, report, unfinished, stop }: Pass): Promise<Passed> {
  // First repeat the requests that an earlier run did not finish.
  const { remaining } = await client.recover();
  const unknown = new Set(remaining.map(({ intent }) => String(intent.body['bank_reference'])));
  const unknownIds = new Set(remaining.map(({ intent }) => intent.transaction_id));
  if (remaining.length > 0)
    report({ outcome: 'unknown', detail: `completions without an outcome: ${remaining.length}` });
  const dueUntil = Date.now() - config.after_seconds * 1_000;
  let reference = jointReference(new Date());
  let together = 0;
  let refusedCount = 0;
  for (const action of await unfinished.list()) {
    if (unknownIds.has(action.contribution.transaction_id)) continue;
    if (!(await settle(action, { client, report, unfinished, jointReference: reference }))) refusedCount += 1;
    done.add(action.contribution.transaction_id);
  }
  for await (const contribution of client.contributions.list({ status: 'pending' })) {
    const { transaction_id: id, created_at: createdAt } = contribution;
    // The list is in order of creation, so no later contribution is due.
    if (stop.aborted || Date.parse(createdAt) > dueUntil) break;
    const action = actionFor(contribution, config);
    if (action === 'nothing' || done.has(id)) continue;
    if (action === 'complete_together') {
      // An earlier transfer may already be recorded. A new transfer would have another reference.
      if (unknownIds.has(id)) continue;
      if (together % mostTogether === 0) reference = jointReference(new Date());
      together += 1;
    }
    const isRecorded = await settle(
      { contribution: { transaction_id: id, amount: contribution.amount, created_at: createdAt }, action },
      { client, report, unfinished, jointReference: reference },
    );
    if (!isRecorded) refusedCount += 1;
    // A rejection is final: the bank tries again only after a restart.
    done.add(id);
  }
  return { unknown, refusedCount };
}

/** The transfer of a recorded completion or return. */
function transferOf({ intent }: Settlement): Transfer {
  const evidence = intent.body as Omit<Transfer, 'transaction_id'>;
  const { amount, bank_reference, value_date } = evidence;
  return {
    ...{ transaction_id: intent.transaction_id ?? '', amount, bank_reference, value_date },
    ...(intent.kind === 'return' && { return_code: returnCode }),
  };
}

async function serve(context: Context, config: BankConfig, stop: AbortSignal): Promise<ExitCode> {
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
  const isOnce = values['once'] === true;
  const mustEnd = (): boolean => isOnce || stop.aborted;
  const done = new Set<string>();
  const unfinished = new UnfinishedActions(config.store);
  let refusedCount = 0;
  const exitCode = (): ExitCode => (isOnce && refusedCount > 0 ? 1 : 0);
  for (;;) {
    try {
      const passed = await pass({ client, config, done, report, unfinished, stop });
      refusedCount += passed.refusedCount;
      await statement?.write(passed.unknown);
    } catch (error) {
      const isTemporary =
        error instanceof ContributionError &&
        !(error instanceof InvalidInput) &&
        (error instanceof RateLimited || !(error instanceof RequestRejected));
      if (isOnce || !isTemporary) throw error;
      // The next pass repeats completions without an outcome.
      report({ outcome: 'interrupted', detail: error.message });
    }
    if (mustEnd()) return exitCode();
    await wait(config.interval_seconds * 1_000, stop);
    if (mustEnd()) return exitCode();
  }
}

export const bank: Command = {
  summary: 'run a simulated bank, which completes pending contributions',
  help: `Usage: contribution-service-sdk bank --config FILE [OPTIONS]

Completes the pending contributions of your test environment until you stop it. Use the key pair of a bank,
or of a company without a bank. The command stores each completion before it sends it. After a restart, it
repeats those without an outcome.

  --config FILE   the settings and rules, as JSON
  --once          read the pending contributions once, then stop; exits with 1 if a completion or a return was refused

An example of the file. Only "store" is required. Without "statements", the bank writes no statement:
  {
    "store": "./bank-intents",
    "interval_seconds": 2,
    "after_seconds": 0,
    "statements": "./statements",
    "rules": [
      { "amount_ends_in": ".41", "do": "wrong_amount_first" },
      { "amount_ends_in": ".42", "do": "complete_twice" },
      { "amount_ends_in": ".43", "do": "nothing" },
      { "amount_ends_in": ".44", "do": "complete_together" },
      { "amount_ends_in": ".45", "do": "complete_and_return" }
    ]
  }
The first rule that matches the amount applies. If no rule matches, the bank completes the contribution.
  complete_twice        sends a second completion with another bank_reference, and transfers twice
  complete_together     completes all pending contributions of this rule, and pays them with one transfer
  complete_and_return   completes, and then records that the money went back
  wrong_amount_first    sends an amount that is one cent too high, and then the right one
  nothing               neither transfers nor completes

"statements" is a folder. The bank writes its account statement into it, in every format that the service
reads:
  camt.053.xml        ISO 20022, with balances
  camt.052.xml        the same entries as a report during the day, without a closing balance
  camt.054.xml        the same entries as notifications, without balances
  bai2.txt            BAI2, with one group and its balances for each day
  statement.csv       no account and no balances. Upload it with account=simulated-csv and this mapping:
                      ${JSON.stringify(csvMapping)}
  nacha-returns.txt   only returns, each of at most 99,999,999.99. Upload it with account=simulated-nacha. Its
                      entries are at most proposed, so they confirm no payment
  settlements.csv     the contributions of each transfer of complete_together. It is not a statement: upload
                      it with POST /statements/settlements. Without such a transfer, it is not written
For a camt.053 file only, set "statement": "./statement.xml" instead.`,
  options: { config: { type: 'string' }, once: { type: 'boolean' } },
  worksInProduction: false,
  left: 'Contributions were completed or returned. This cannot be undone. The folder of "store" has the requests without an outcome, and the next run repeats them.',
  async run(context) {
    const file = textOf(context.values, 'config');
    if (file === undefined || context.positionals.length > 0)
      throw new UsageError('Pass the settings and rules with --config FILE.');
    const config = await readConfig(file);
    return untilStopped(context.lost, (stop) => serve(context, config, stop));
  },
};
