import { matchAll } from '../support/matching';
import { type Line, statementFile, type StatementForm, uploadAndMatch } from '../support/statement-files';
import { readEntries, readMoney, setUpStatements } from '../support/statement-setup';

/**
 * Reports and notifications about a day whose statement has not arrived yet. The statement of the
 * day before cannot have their payments. Contributions are 25.50 dollars.
 */
const setup = setUpStatements();

const amount = 25_50n;
const [yesterday, today] = ['2026-11-19', '2026-11-20'];
const nightly = '2026-11-20T02:00:00-05:00';
const put = async (lines: readonly Line[], form: StatementForm): Promise<string> => {
  const { file_id: fileId } = await uploadAndMatch(setup.company.test, statementFile(lines, form));
  return fileId;
};
const putYesterday = (madeAt?: string, lines: readonly Line[] = []): Promise<string> =>
  put(lines, { from: yesterday, ...(madeAt === undefined ? {} : { madeAt }) });
const notice = (id: string): Line[] => [{ cents: amount, id, reference: 'NT-0001', date: today }];
const moneyOf = async (id: string): Promise<string> => {
  await matchAll(setup.service);
  const { position, gross_amount: gross } = await readMoney(setup.company.test, id);
  return `${position} ${gross}`;
};
const outcomesOf = async (fileId: string): Promise<string[]> =>
  (await readEntries(setup.company.test, fileId)).map(({ outcome }) => outcome);

describe.each(['052', '054'] as const)('an entry of today in a camt.%s', (kind) => {
  const of = (madeAt: string): StatementForm => ({ kind, from: today, madeAt });

  test.each([true, false])(
    'is confirmed if the statement of yesterday was made before (it was uploaded first: %s)',
    async (isFirst) => {
      const id = await setup.contributions.createCompleted('25.50');
      const puts = [() => putYesterday(nightly), () => put(notice(id), of('2026-11-20T15:00:00-05:00'))];
      for (const next of isFirst ? puts : puts.reverse()) await next();
      expect(await moneyOf(id)).toBe('matched 25.50');
    },
  );

  test('counts once when the statement of today states it with another reference', async () => {
    const id = await setup.contributions.createCompleted('25.50');
    await putYesterday(nightly);
    const early = await put(notice(id), of('2026-11-20T15:00:00-05:00'));
    const late = { cents: amount, id, reference: 'AX-0001', date: today };
    await put([late], { from: today, openingCents: 1_000_000_00n, madeAt: '2026-11-21T02:00:00-05:00' });
    expect(await moneyOf(id)).toBe('matched 25.50');
    expect(await outcomesOf(early)).toEqual(['proposed']);
  });

  test.each([
    ['the statement of yesterday was made later', nightly, '2026-11-19T21:30:00-05:00'],
    ['the statement does not state when it was made', undefined, '2026-11-20T15:00:00-05:00'],
    ['only one of the times has a zone', nightly, '2026-11-20T15:00:00'],
  ])('is proposed if %s, because its day may be stated in UTC', async (_, statementMadeAt, madeAt) => {
    const id = await setup.contributions.createCompleted('25.50');
    await putYesterday(statementMadeAt, [{ cents: amount, id, reference: 'AX-0001', date: yesterday }]);
    const fileId = await put(notice(id), of(madeAt));
    expect(await moneyOf(id)).toBe('matched 25.50');
    expect(await outcomesOf(fileId)).toEqual(['proposed']);
  });
});

test('a time in the statement itself counts instead of the time of the message', async () => {
  const id = await setup.contributions.createCompleted('25.50');
  await putYesterday(nightly);
  const file = statementFile(notice(id), { kind: '054', from: today, madeAt: '2026-11-20T15:00:00-05:00' });
  const own = file.replace('<FrToDt>', '<CreDtTm>2026-11-19T21:30:00-05:00</CreDtTm><FrToDt>');
  expect(own).not.toBe(file);
  const { file_id: fileId } = await uploadAndMatch(setup.company.test, own);
  expect(await outcomesOf(fileId)).toEqual(['proposed']);
});
