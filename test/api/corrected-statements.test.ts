import { compareAll } from '../support/compare-all';
import { statementFile, uploadAndWait } from '../support/statement-files';
import { readEntries, readMoney, setUpStatements } from '../support/statement-setup';

/** Bank statements with the reference of a completion that was corrected. */
const setup = setUpStatements({ pollMs: 100 });

const amount = 25_50n;
const complete = (id: string, reference: string) =>
  setup.contributions.complete(setup.company.test, id, { bank_reference: reference }).expect(200);
const correct = (id: string) =>
  setup.company.test
    .post(`/company/integration/contributions/${id}/correction`, { reason: 'wrong' })
    .expect(201);
const create = (count: number): Promise<string[]> =>
  Promise.all(Array.from({ length: count }, () => setup.contributions.create()));
/** Uploads a statement with one transfer under the reference FT-1. */
const uploadTransfer = async (count: bigint): Promise<string> => {
  const transfer = { cents: count * amount, id: 'FT-1', reference: 'R-1' };
  const file = statementFile([transfer], { from: '2026-11-20' });
  return (await uploadAndWait(setup.company.test, file)).file_id;
};
async function expectMatched(fileId: string, positions: Readonly<Record<string, string>>): Promise<void> {
  await compareAll(setup.service);
  const entries = await readEntries(setup.company.test, fileId);
  expect(entries.map(({ outcome, reason }) => [outcome, reason])).toEqual([['matched', null]]);
  for (const [id, position] of Object.entries(positions))
    expect((await readMoney(setup.company.test, id)).position).toBe(position);
}

test('the payment belongs to the right contribution after the wrong one was corrected', async () => {
  const [wrong, right] = (await create(2)) as [string, string];
  const fileId = await uploadTransfer(1n);
  await complete(wrong, 'FT-1');
  await expectMatched(fileId, { [wrong]: 'matched' });
  await correct(wrong);
  await complete(right, 'FT-1');
  await expectMatched(fileId, { [wrong]: 'waiting', [right]: 'matched' });
});

test.each([true, false])(
  'a corrected line of a batch does not count, corrected before the statement: %s',
  async (isBefore) => {
    const [one, other, wrong] = (await create(3)) as [string, string, string];
    for (const id of [one, other, wrong]) await complete(id, 'FT-1');
    if (isBefore) await correct(wrong);
    const fileId = await uploadTransfer(2n);
    await compareAll(setup.service);
    if (!isBefore) await correct(wrong);
    await expectMatched(fileId, { [one]: 'matched', [other]: 'matched', [wrong]: 'waiting' });
  },
);
