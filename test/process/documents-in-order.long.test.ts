import {
  blocksIn,
  type DocumentName,
  DocumentReader,
  guides,
  readmeRequests,
} from '../support/document-reader';
import { killLeftoverProcesses } from '../support/program';

/**
 * A reader may start with any document. Their samples run one after the other on one service,
 * because a key of one document must not disturb another.
 */
const orders: Record<string, DocumentName[]> = {
  'the README first': ['README', 'SDK README', ...guides],
  'the README last': [...guides, 'SDK README', 'README'],
  'the last guide first': ['SDK README', ...[...guides].reverse(), 'README'],
};

let reader: DocumentReader;

beforeEach(async () => {
  // In the demo, this company has the simulated bank.
  reader = await DocumentReader.start('stranger');
});
afterEach(async () => {
  await reader.stop();
  await killLeftoverProcesses();
});

const isProblem = (output: string): boolean => /"retryable": ?(true|false)/.test(output);

/** Rejected requests, except those whose rejection the document shows. */
function rejectedIn(name: DocumentName): string[] {
  const blocks = name === 'README' ? readmeRequests() : blocksIn(name, 'sh');
  return (reader.outputs.get(`${name} sh`) ?? []).filter(
    (output, index) => isProblem(output) && !isProblem(blocks[index]?.expectedOutput?.text ?? ''),
  );
}

test.each(Object.entries(orders))('no document stops another: %s', async (_order, names) => {
  expect([...names].sort()).toEqual(['README', 'SDK README', ...guides].sort());
  for (const name of names) {
    if (name === 'bank') await reader.createPending(6);
    await reader.read(name);
    expect([name, rejectedIn(name)]).toEqual([name, []]);
  }
});
