import { Journal } from '../journal/journal';
import { judge, type Row } from './judge';
import type { Line } from './partners';

const row: Row = {
  transaction_id: 'A',
  idempotency_key: 'k',
  amount_cents: '100',
  status: 'completed',
  bank_reference: 'FT-A',
};
const lines: Line[] = [
  { what: 'intended', key: 'k', amount: '1.00' },
  { what: 'create', key: 'k', id: 'A' },
  { what: 'transferred', id: 'A' },
  { what: 'complete', id: 'A' },
];
const without = (what: Line['what']): Line[] => lines.filter((line) => line.what !== what);

test.each<[string, readonly Line[], readonly Row[], string[]]>([
  ['nothing wrong', lines, [row], []],
  ['a create that was never sent', [...lines, { what: 'intended', key: 'l', amount: '2.00' }], [row], []],
  ['a contribution that nobody requested', without('intended'), [row], ['illegal']],
  ['a contribution that is missing', without('complete'), [], ['lost']],
  ['a contribution that no caller knows', without('create'), [row], ['lost']],
  ['a completion that is missing', lines, [{ ...row, status: 'pending', bank_reference: null }], ['lost']],
  ['a completion that no caller knows', without('complete'), [row], ['lost']],
  ['a completion without a transfer', without('transferred'), [row], ['illegal']],
  ['another amount', lines, [{ ...row, amount_cents: '200' }], ['illegal']],
  [
    'a second contribution',
    lines,
    [row, { ...row, transaction_id: 'B', status: 'pending' }],
    ['doubled', 'doubled'],
  ],
  ['two ids for a key', [...lines, { what: 'create', key: 'k', id: 'B' }], [row], ['doubled']],
  ['a rejection', [...lines, { what: 'rejected', error: 'x' }], [row], ['illegal']],
])('%s is judged', (_name, journalOfSdk, rows, expected) => {
  const journal = new Journal();
  judge(journal, journalOfSdk, rows);
  expect(journal.violations.map(({ kind }) => kind)).toEqual(expected);
});
