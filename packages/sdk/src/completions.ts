import { checkAmount, checkTransfer } from './checks.js';
import { assertInput, ContributionError, InvalidInput } from './errors.js';
import {
  completeContributions,
  type CompleteContributionsBody,
  type CompleteContributionsResponse,
  type CompletionOutcome,
} from './generated/api.js';
import { checkMembers } from './names.js';
import { type CallOptions, callOptionsOf } from './options.js';
import { transactionId } from './transaction-id.js';
import type { Transport } from './transport.js';

/** One of the completions of `completeMany`. */
export type Completion = CompleteContributionsBody;

export interface CompleteManyOptions extends CallOptions {
  /** Report the outcomes and change nothing. */
  dryRun?: boolean | undefined;
  /** The maximum number of lines in one request, up to 10,000. Default: 2,000. */
  linesPerRequest?: number | undefined;
}

/** The outcomes of completions: read one by one, or with `await` all of them. */
export type CompletionOutcomes = AsyncGenerator<CompletionOutcome, void> & PromiseLike<CompletionOutcome[]>;

const mostLines = 10_000;

async function listOf<T>(values: AsyncIterable<T>): Promise<T[]> {
  const list = [];
  for await (const value of values) list.push(value);
  return list;
}

/** Sends completions in files when the outcomes are read or awaited. */
export function completeMany(...input: Parameters<typeof sendFiles>): CompletionOutcomes {
  const outcomes = sendFiles(...input);
  let all: Promise<CompletionOutcome[]> | undefined;
  const then: CompletionOutcomes['then'] = (...handlers) => {
    all ??= listOf(outcomes);
    return all.then(...handlers);
  };
  return Object.assign(outcomes, { then });
}

/** Sends completions in files, one after the other. */
async function* sendFiles(
  transport: Transport,
  completions: Iterable<Completion> | AsyncIterable<Completion>,
  manyOptions: CompleteManyOptions,
): AsyncGenerator<CompletionOutcome, void> {
  const options = callOptionsOf(manyOptions, 'dryRun linesPerRequest');
  const { dryRun, linesPerRequest = 2_000 } = manyOptions;
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
    yield* sendFile(transport, file, sent, dryRun, options);
    sent += file.length;
    file = [];
  }
  if (file.length > 0) yield* sendFile(transport, file, sent, dryRun, options);
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
  dryRun: boolean | undefined,
  options: CallOptions,
): AsyncGenerator<CompletionOutcome, void> {
  const { data } = await transport.send<{ lines: CompleteContributionsResponse[] }>(
    { operation: completeContributions, query: { dry_run: dryRun }, lines },
    options,
  );
  for (const line of data.lines) {
    if ('summary' in line) return;
    yield { ...line, line: before + line.line };
  }
  throw new ContributionError('The response to a file has no summary. Report this.');
}
