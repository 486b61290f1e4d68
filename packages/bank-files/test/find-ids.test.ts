import { findIds, type IdScheme } from '../src';

const invoices: IdScheme = { length: 6, pattern: /^[A-Z]{2}\d{4}$/, check: (id) => !id.endsWith('9') };

test.each([
  ['AB1234', ['AB1234']],
  ['payment ab 12-34 thanks', ['AB1234']],
  ['REF:AB12\n34/CD5678', ['AB1234', 'CD5678']],
  ['AB1234 AB1234', ['AB1234']],
  ['XAB1234', []],
  ['AB.1234', []],
  ['A81234', []],
])('in %j are %j', (text, ids) => {
  expect(findIds([text], invoices)).toEqual({ ids, damaged: [] });
});

test('a wrong check character is reported only for whole words', () => {
  expect(findIds(['AB1239'], invoices)).toEqual({ ids: [], damaged: ['AB1239'] });
  expect(findIds(['xAB1239'], { ...invoices, insideWords: true }).damaged).toEqual([]);
});

test('inside words, ids may overlap, but one character too many makes an id ambiguous', () => {
  const inside = { ...invoices, insideWords: true };
  expect(findIds(['REF.XXAB1234YY'], inside).ids).toEqual(['AB1234']);
  expect(findIds(['AB12345'], inside).ids).toEqual([]);
});

test('characters that people confuse can be unified', () => {
  const normalize = (text: string): string => text.toUpperCase().replace(/O/g, '0');
  expect(findIds(['ab1o34'], { ...invoices, normalize }).ids).toEqual(['AB1034']);
});

test('inside words, only ids with one of the starts are candidates', () => {
  const inside = { ...invoices, insideWords: true, startsWith: new Set(['CD', 'EF']) };
  expect(findIds(['XXAB1234YY xcd5678x ef0000'], inside).ids).toEqual(['CD5678', 'EF0000']);
  expect(findIds(['AB1234'], { ...inside, startsWith: new Set<string>() }).ids).toEqual([]);
});

test('a rejected candidate is neither an id nor a wrong one', () => {
  const accept = (id: string): boolean => !id.startsWith('X');
  expect(findIds(['XX1234 XX1239 AB1234'], { ...invoices, accept })).toEqual({
    ids: ['AB1234'],
    damaged: [],
  });
});
