import {
  type BuiltService,
  createMany,
  credentialHeaders,
  prepareBuiltService,
} from '../support/built-service';
import { completionsPath, ndjson, readLines, sendFile } from '../support/completion-files';
import { sample } from '../support/full-run';
import { RunningService } from '../support/program';
import { verificationOf } from '../support/verification';

/** Kills the built program in the middle of a file, and sends the file again. */
const lines = 6_000;
let built: BuiltService<'Acme'>;

beforeAll(async () => {
  built = await prepareBuiltService(
    { Acme: ['contributions:create', 'contributions:complete'] },
    { settings: { LOG_LEVEL: 'info' } },
  );
});
afterAll(() => built.remove());

/** Sends a file, and kills the service after this many outcomes. */
async function killWithin(service: RunningService, file: string, outcomes: number): Promise<number> {
  const response = await fetch(`${service.baseUrl}${completionsPath}`, {
    method: 'POST',
    headers: { ...credentialHeaders(built.pairs.Acme), 'Content-Type': 'application/x-ndjson' },
    body: file,
  });
  let text = '';
  let isKilled = false;
  const decoder = new TextDecoder();
  try {
    for await (const piece of response.body!) {
      text += decoder.decode(piece, { stream: true });
      if (isKilled || readLines(text).outcomes.length < outcomes) continue;
      isKilled = true;
      void service.signal('SIGKILL');
    }
  } catch {
    // The response was cut off.
  }
  await service.exited;
  const { outcomes: received, summary } = readLines(text);
  expect(summary).toBeUndefined();
  return received.length;
}

test.each(sample([1_500, 1, 4_000], 2))(
  'killed after %d outcomes, a file that is sent again doubles and loses nothing',
  async (outcomes) => {
    const first = await RunningService.start(built.settings);
    const ids = await createMany(built, first, built.pairs.Acme, `killed-${outcomes}`, lines);
    const file = ndjson(
      ids.map((id) => ({ transaction_id: id, amount: '25.50', bank_reference: `FT-${id}` })),
    );
    const received = await killWithin(first, file, outcomes);
    expect(received).toBeGreaterThanOrEqual(outcomes);
    expect(received).toBeLessThan(lines);

    const second = await RunningService.start(built.settings);
    const { summary } = await sendFile(second.baseUrl, built.pairs.Acme, file);
    expect(summary).toMatchObject({ lines, refused: 0 });
    // The outcomes that the client received, and those that were committed without a response.
    expect(summary!.replayed).toBeGreaterThanOrEqual(received);
    expect(summary!.completed + summary!.replayed).toBe(lines);
    const { rows } = await built.database.admin.query<{ completed: string; ids: string }>(
      `SELECT count(*) AS completed, count(DISTINCT transaction_id) AS ids
         FROM events WHERE type = 'contribution.completed' AND transaction_id = ANY ($1)`,
      [ids],
    );
    expect(rows).toEqual([{ completed: String(lines), ids: String(lines) }]);
    expect((await verificationOf(built.database.ownerUrl)).violationCount).toBe(0);
    await second.signal('SIGTERM');
  },
);
