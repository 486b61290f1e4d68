import { verifyDatabase } from '../faults/verify';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { createGenerator, type Generator } from './cases/generate';
import type { FuzzWorld } from './cases/valid-request';
import { createLedger } from './ledger';
import { growthBytes } from './memory';
import { listOperations, readOpenApiDocument } from './operations';
import { createJudge, type Judge } from './oracle/judge';
import { describeFailure, describePart, showBytes } from './report';
import { runPart } from './run-part';
import { startInProcess, startShipped, type Target } from './service/targets';
import { keepSlowClients, type SlowClients } from './slow-clients';
import { createWorld, prepareOver } from './tenants';

export const partNames = ['in-process', 'wire'] as const;
export type PartName = (typeof partNames)[number];

/** The permitted memory growth after the warm-up. */
const mostGrowthBytes = 50 * 1_048_576;

interface Stage {
  readonly database: TestDatabase;
  readonly target: Target;
  readonly world: FuzzWorld;
  readonly generate: Generator;
  readonly judge: Judge;
}

interface Played {
  readonly description: string;
  readonly isClean: boolean;
}

/** Starts a service on a separate database for the duration of `use`. */
async function withStage<T>(name: PartName, seed: number, use: (stage: Stage) => Promise<T>): Promise<T> {
  const database = await createTestDatabase();
  let target: Target | undefined;
  try {
    target = await (name === 'wire' ? startShipped(database) : startInProcess(database));
    const { exchange, peppers, headers } = target;
    const world = await createWorld(database, peppers, prepareOver(exchange, headers), headers);
    const document = readOpenApiDocument();
    const generate = createGenerator(listOperations(document), world, seed);
    return await use({ database, target, world, generate, judge: createJudge(document) });
  } finally {
    await target?.stop();
    await database.drop();
  }
}

/** Checks the final state and describes what is wrong. */
async function checkFinalState(
  { database, target }: Stage,
  acknowledged: number,
  memory: readonly number[],
  slow: SlowClients | undefined,
): Promise<string[]> {
  const { rows } = await database.admin.query<{ count: number }>(
    'SELECT count(*)::integer FROM transactions',
  );
  const recorded = rows[0]?.count ?? 0;
  const growth = growthBytes(memory);
  return [
    ...(await verifyDatabase(database.adminUrl)).map((violation) => `verify: ${violation}`),
    ...(recorded < acknowledged ? [`${acknowledged} were acknowledged and only ${recorded} are there`] : []),
    ...(growth > mostGrowthBytes ? [`memory grew by ${Math.round(growth / 1_048_576)} MiB`] : []),
    ...target.errorLines().map((line) => `the service logged: ${line.slice(0, 2_000)}`),
    ...(slow?.flaws() ?? []),
  ];
}

/** Plays all cases of a part, then checks the money, the memory, the log and the slow clients. */
export async function playPart(
  name: PartName,
  options: { seed: number; count: number; onProgress: (line: string) => void },
): Promise<Played> {
  const { seed, count, onProgress } = options;
  return withStage(name, seed, async (stage) => {
    const { database, target, world, generate, judge } = stage;
    const { exchange, concurrency, residentBytes, errorLines } = target;
    const ledger = createLedger(database.admin);
    const slow =
      target.port === undefined ? undefined : keepSlowClients(target.port, world.environments[0]!.pair);
    const result = await runPart({
      name,
      count,
      concurrency,
      generate,
      exchange,
      judge,
      ledger,
      residentBytes,
      errorLines,
      onProgress,
    });
    await slow?.stop();
    const slowest = await result.slowest.measureAlone(generate, exchange);
    const flaws = await checkFinalState(stage, ledger.acknowledged, result.memory, slow);
    return {
      description: [
        describePart(name, result, slowest),
        ...(slow ? [`  slow clients: ${slow.describe()}`] : []),
        `  acknowledged contributions: ${ledger.acknowledged}, each with its row; verify and the rest: ${flaws.length} flaws`,
        ...flaws.map((flaw) => `  FAILED ${flaw}`),
        ...result.failures.map((failure) => describeFailure(name, seed, failure)),
      ].join('\n'),
      isClean: result.failureCount === 0 && flaws.length === 0,
    };
  });
}

/** Plays one case and prints all of it. */
export async function playOne(name: PartName, seed: number, index: number): Promise<Played> {
  return withStage(name, seed, async ({ target, generate, judge }) => {
    const fuzzCase = generate(index);
    const transcript = await target.exchange(fuzzCase);
    const { flaws, outcomes } = judge(fuzzCase, transcript);
    return {
      description: [
        `${name}, case ${index} (${fuzzCase.kind}), in ${fuzzCase.cuts.length + 1} pieces, ${transcript.elapsedMs.toFixed(2)} ms, closed by the service: ${transcript.closedByService}`,
        showBytes(fuzzCase.bytes, 100_000),
        '── received:',
        showBytes(transcript.bytes, 100_000),
        `── ${outcomes.join(', ')}: ${flaws.length === 0 ? 'as it must be' : flaws.join('; ')}`,
        ...target.errorLines(),
      ].join('\n'),
      isClean: flaws.length === 0,
    };
  });
}
