import { Pending } from './call.js';
import { checkAmount, checkTransfer } from './checks.js';
import { assertInput, ContributionError, InvalidInput } from './errors.js';
import {
  completeContributions,
  type CompleteContributionsBody,
  type CompleteContributionsResponse,
  type CompletionOutcome,
} from './generated/api.js';
import { checkMembers, checkNames } from './names.js';
import { type CallOptions, callOptionsOf } from './options.js';
import { transactionId } from './transaction-id.js';
import type { Transport } from './transport.js';

/** One of the completions of `completeMany`. */
export type Completion = CompleteContributionsBody;

/** The parameters of `bank.completeMany`. */
export interface CompleteManyParams {
  /** Any number of completions. The SDK reads them while it sends them. */
  completions: Iterable<Completion> | AsyncIterable<Completion>;
  /** Report the outcomes and change nothing. */
  dry_run?: boolean | undefined;
}

/** Options of `bank.completeMany`. */
export interface CompleteManyOptions extends CallOptions {
  /** The maximum number of lines in one request, up to 10,000. Default: 2,000. */
  linesPerRequest?: number | undefined;
}

const mostLines = 10_000;

/**
 * The outcomes of `bank.completeMany`, one for each completion. `for await` reads them one by one
 * while the completions are sent, and `await` sends everything and gives all of them. Nothing is
 * sent before.
 */
export class CompletionOutcomes
  extends Pending<CompletionOutcome[]>
  implements AsyncIterable<CompletionOutcome>
{
  readonly #outcomes: AsyncGenerator<CompletionOutcome, void>;
  #all: Promise<CompletionOutcome[]> | undefined;

  constructor(...input: Parameters<typeof sendFiles>) {
    super();
    this.#outcomes = sendFiles(...input);
  }

  [Symbol.asyncIterator](): AsyncGenerator<CompletionOutcome, void> {
    return this.#outcomes;
  }

  protected override settle(): Promise<CompletionOutcome[]> {
    return (this.#all ??= this.#readAll());
  }

  async #readAll(): Promise<CompletionOutcome[]> {
    const all = [];
    for await (const outcome of this) all.push(outcome);
    return all;
  }
}

/** Sends completions in files, one after the other. */
async function* sendFiles(
  transport: Transport,
  params: CompleteManyParams,
  manyOptions: CompleteManyOptions,
): AsyncGenerator<CompletionOutcome, void> {
  const options = callOptionsOf(manyOptions, 'linesPerRequest');
  checkNames('params', params, 'completions dry_run');
  const { linesPerRequest = 2_000 } = manyOptions;
  const { completions, dry_run } = params;
  assertInput(
    Number.isInteger(linesPerRequest) && linesPerRequest > 0 && linesPerRequest <= mostLines,
    'linesPerRequest',
    `Pass a whole number from 1 to ${mostLines}.`,
  );
  let sent = 0;
  let file: Completion[] = [];
  const { [Symbol.iterator]: sync, [Symbol.asyncIterator]: async } = Object(completions) as Partial<
    Iterable<Completion> & AsyncIterable<Completion>
  >;
  assertInput(!!(sync ?? async), 'completions', 'Pass a list of completions.');
  for await (const completion of completions) {
    file.push(checkLine(completion, sent + file.length + 1));
    if (file.length < linesPerRequest) continue;
    yield* sendFile(transport, file, sent, dry_run, options);
    sent += file.length;
    file = [];
  }
  if (file.length > 0) yield* sendFile(transport, file, sent, dry_run, options);
}

/**
 * Checks a single completion. Only the service checks the id: it refuses a mistyped one and
 * completes the others.
 */
function checkLine(line: Completion, number: number): Completion {
  try {
    checkMembers('completion', completeContributions, line);
    // Throws for anything but text.
    transactionId.parse(line.transaction_id);
    checkAmount(line.amount);
    return checkTransfer(line);
  } catch (error) {
    throw error instanceof InvalidInput
      ? new InvalidInput(`completion ${number}`, `${error.message} Its file and later ones were not sent.`)
      : error;
  }
}

/** A response without a summary was cut off. It counts as lost, and the file is sent again. */
async function* sendFile(
  transport: Transport,
  lines: readonly Completion[],
  before: number,
  dry_run: boolean | undefined,
  options: CallOptions,
): AsyncGenerator<CompletionOutcome, void> {
  const { data } = await transport.send<{ lines: CompleteContributionsResponse[] }>(
    { operation: completeContributions, query: { dry_run }, lines },
    options,
  );
  for (const line of data.lines) {
    if ('summary' in line) return;
    yield { ...line, line: before + line.line };
  }
  throw new ContributionError('The response to a file has no summary. Report this.');
}
