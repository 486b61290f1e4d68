import { csvMapping } from '../../../src/features/bank-statements/uploads/csv-mapping.field';

const mapping = { date: 'Date', amount: 'Amount', texts: ['Description'] };

test('a mapping has the usual formats unless it states others', () => {
  expect(csvMapping.parse(JSON.stringify(mapping))).toEqual({
    ...mapping,
    date_format: 'YYYY-MM-DD',
    decimal: '.',
    delimiter: ',',
  });
});

test.each<[string, unknown]>([
  ['no JSON', '{'],
  ['no object', '[]'],
  ['no amount', JSON.stringify({ date: 'a', texts: ['b'] })],
  ['amount and credit', JSON.stringify({ date: 'a', texts: ['b'], amount: 'c', credit: 'd' })],
  ['an unknown member', JSON.stringify({ ...mapping, column: 'a' })],
  ['half a period', JSON.stringify({ ...mapping, from: '2026-11-20' })],
  ['too many characters', JSON.stringify({ ...mapping, date: 'a'.repeat(4_000) })],
])('a mapping with %s is refused', (_reason, value) => {
  expect(csvMapping.safeParse(value).success).toBe(false);
});
