import { readFileSync } from 'node:fs';
import path from 'node:path';

import {
  type CsvMapping,
  findIds,
  layoutsFor,
  layoutsOf,
  readStatementFile,
  type StatementFile,
} from '../src';

const id = 'K7Q20CR5M3V9XHG';
/** Accepts one id only, within longer words too, because some banks attach it to a label. */
const scheme = {
  length: id.length,
  pattern: /^[A-Z][0-9A-Z]{14}$/,
  check: (text: string) => text === id,
  insideWords: true,
};

/** The text of each layout by its name. */
const samples: ReadonlyMap<string, string> = new Map(
  readFileSync(path.join(__dirname, 'cases', 'layouts.txt'), 'utf8')
    .split(/^== /m)
    .slice(1)
    .map((part) => [part.split(' | ')[0]!, part.slice(part.indexOf('\n') + 1)]),
);

/** The mapping that a person confirms, if any layout fits a line of the file. */
const offered = (text: string): CsvMapping | undefined => layoutsOf(text)[0]?.mapping;

const american = { decimal: '.', delimiter: ',', date: 'Date', date_format: 'MM/DD/YYYY' } as const;
/** The mappings that a person writes for layouts without an offer. */
const stated: Readonly<Record<string, CsvMapping>> = {
  pnc: { ...american, credit: 'Deposits', debit: 'Withdrawals', texts: ['Description'] },
  'us-bank': { ...american, date_format: 'YYYY-MM-DD', amount: 'Amount', texts: ['Name', 'Memo'] },
  'quickbooks-export': { ...american, amount: 'Amount', texts: ['Memo'] },
  'excel-unicode': {
    ...american,
    date_format: 'YYYY-MM-DD',
    delimiter: '\t',
    amount: 'Amount',
    texts: ['Text'],
  },
};

function linesOf({ statements: [statement] }: StatementFile): string[] {
  return [...statement!.entries].map((entry) => {
    const { bookingDate, direction, amountCents, chargesCents, currency, isBooked, unreadable } = entry;
    const { ids } = findIds([...entry.references, ...(entry.furtherReferences ?? [])], scheme);
    const state = unreadable ?? (isBooked ? [] : 'not booked');
    const charges = chargesCents === 0n ? [] : `charges ${chargesCents}`;
    return [bookingDate, direction, amountCents, currency, ids, charges, state].flat().join(' ');
  });
}

const dollars = [`2026-11-20 credit 2500 USD ${id}`, '2026-11-20 debit 310 USD'];
const euros = dollars.map((line) => line.replace('USD', 'EUR'));
const expected: Readonly<Record<string, readonly string[]>> = {
  'chase-card': dollars,
  'chase-checking': dollars,
  'bank-of-america': dollars,
  'wells-fargo': dollars,
  'capital-one': dollars,
  'stripe-payouts': [`2026-11-20 credit 2397 USD ${id} charges 103`, '2026-11-20 debit 310 USD'],
  'stripe-balance-history': [`2026-11-20 credit 2397 USD ${id} charges 103`, '2026-11-20 debit 310 USD'],
  wise: dollars,
  'revolut-personal': [dollars[0]!, ' debit 310 USD not booked', dollars[1]!],
  'revolut-business': dollars,
  citi: dollars,
  pnc: dollars,
  'us-bank': dollars,
  'quickbooks-export': [`2026-11-20 credit 102500 USD ${id}`, dollars[1]!],
  monzo: dollars.map((line) => line.replace('USD', 'GBP')),
  'bank-of-ireland': euros,
  'ing-nl': euros,
  rabobank: euros,
  bunq: euros,
  sparkasse: [...euros, `2026-11-21 credit 2500 EUR ${id} not booked`],
  comdirect: euros,
  zkb: [`2026-11-20 credit 102500 CHF ${id}`, '2026-11-20 debit 310 CHF'],
  kbc: euros,
  'ceska-sporitelna': dollars.map((line) => line.replace('USD', 'CZK')),
  migros: dollars.map((line) => line.replace('USD', 'CHF')),
  'abn-amro': euros,
  'excel-unicode': dollars,
};

test('every layout has its expected entries', () => {
  expect([...samples.keys()].sort()).toEqual(Object.keys(expected).sort());
});

test.each(Object.entries(expected))('%s', (name, entries) => {
  const text = samples.get(name)!;
  const mapping = stated[name] ?? offered(text);
  const file = readStatementFile(Buffer.from(text), mapping);
  expect(linesOf(file)).toEqual(entries);
  expect(file.csv?.questions).toEqual([]);
});

test('a layout is offered only for its own header', () => {
  expect(layoutsFor(['Date', 'Text', 'Amount'])).toEqual([]);
  expect(layoutsFor(['"11/20/2026"', '25.00'])).toEqual([]);
});

test('UTF-16, as a spreadsheet program saves it, is read too', () => {
  const bytes = Buffer.from(`\uFEFF${samples.get('excel-unicode')!}`, 'utf16le');
  expect(linesOf(readStatementFile(bytes, stated['excel-unicode']))).toEqual(dollars);
});
