import { ContributionError, InvalidInput } from './errors.js';
import type {
  CompleteContributionsBody,
  CompleteContributionsResponse,
  CompletionOutcome,
} from './generated/api.js';
import { type CallOptions, callOptionsOf } from './options.js';
import type { Transport } from './transport.js';

/** One completion of many. */
export type Completion = CompleteContributionsBody;

export interface CompleteManyOptions extends CallOptions {
  /** Report the outcomes and change nothing. */
  dryRun?: boolean | undefined;
  /** The most lines of one request, up to 10,000. Default: 2,000. */
  linesPerRequest?: number | undefined;
}

const mostLines = 10_000;

/** Sends completions in files, one after the other. */
export async function* completeMany(
  transport: Transport,
  completions: Iterable<Completion> | AsyncIterable<Completion>,
  manyOptions: CompleteManyOptions,
): AsyncGenerator<CompletionOutcome, void> {
  const options = callOptionsOf(manyOptions, ['dryRun', 'linesPerRequest']);
  const { dryRun = false, linesPerRequest = 2_000 } = manyOptions;
  if (!Number.isInteger(linesPerRequest) || linesPerRequest < 1 || linesPerRequest > mostLines)
    throw new InvalidInput('linesPerRequest', `Pass a whole number from 1 to ${mostLines}.`);
  let sent = 0;
  let file: Completion[] = [];
  for await (const completion of completions) {
    file.push(completion);
    if (file.length < linesPerRequest) continue;
    yield* sendFile(transport, file, sent, dryRun, options);
    sent += file.length;
    file = [];
  }
  if (file.length > 0) yield* sendFile(transport, file, sent, dryRun, options);
}

/** A response without a summary was cut off. It counts as lost, and the file is sent again. */
async function* sendFile(
  transport: Transport,
  lines: readonly Completion[],
  before: number,
  dryRun: boolean,
  options: CallOptions,
): AsyncGenerator<CompletionOutcome, void> {
  const { data } = await transport.send<{ lines: CompleteContributionsResponse[] }>(
    {
      method: 'POST',
      path: '/contributions/completions',
      query: { dry_run: dryRun ? 1 : undefined },
      lines,
      isComplete: ({ lines: received }) =>
        Array.isArray(received) && received.length === lines.length + 1 && hasSummary(received.at(-1)),
    },
    options,
  );
  for (const line of data.lines) {
    if ('summary' in line) return;
    yield { ...line, line: before + line.line };
  }
  throw new ContributionError('The response to a file has no summary. Report this.');
}

const hasSummary = (line: unknown): boolean => typeof line === 'object' && line !== null && 'summary' in line;
