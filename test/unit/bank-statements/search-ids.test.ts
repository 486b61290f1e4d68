import { findIds } from '@contribution-service/bank-files';

import { createSearch, transactionIds } from '../../../src/features/bank-statements/reading/search-ids';
import { generateTransactionId } from '../../../src/shared/transaction-id';
import { lineWith } from '../../support/files-to-read';

/** One search finds what identifies a line, and the ids that it may pay. */
const now = new Date('2026-11-30T12:00:00Z');
const future = new Date('2027-11-30T12:00:00Z');
const tags = new Set(['ABC1', 'ABD1', 'XY99']);

test('ids are found as whole texts, within texts and within words, and never as more', () => {
  const [one = '', two = '', three = ''] = [...tags].map((tag) => generateTransactionId(tag, now));
  const search = createSearch({ tags, now });
  const texts = [one, `Donation ${two.toLowerCase()} thanks`, `REF${three}END`, one];
  expect(search(lineWith(...texts))).toEqual({
    ids: [one, two],
    stored: {
      exact: [one],
      normalized: [two],
      attached: [three],
      repaired: [],
      identifiers: texts.slice(0, 3),
    },
  });
});

const random = <Item>(items: readonly Item[]): Item => items[Math.floor(Math.random() * items.length)]!;

/** A text with ids of several times, some of them damaged. They may overlap. */
function randomText(): string {
  const words = Array.from({ length: 1 + Math.floor(Math.random() * 4) }, () => {
    const id = generateTransactionId(random([...tags, 'QQ11']), random([now, now, future]));
    const text = random([id, id, id.toLowerCase(), `${id.slice(0, 7)} ${id.slice(7)}`]);
    const at = Math.floor(Math.random() * text.length);
    return random([text, text, text.slice(0, at) + '7' + text.slice(at + 1), text.slice(at)]);
  });
  return words.join(random([' ', '', '-', '/']));
}

test('a shared search finds what one search for each purpose finds, also beside ids of the future', () => {
  const anyTime = transactionIds(new Date(8_000_000_000_000_000));
  let others = 0;
  for (let round = 0; round < 3_000; round += 1) {
    const references = [randomText(), randomText()];
    const { ids, stored } = createSearch({ tags, now })(lineWith(...references));
    const words = findIds(references, transactionIds(now));
    expect({ references, ids }).toEqual({ references, ids: findIds(references, anyTime).ids });
    expect({ references, found: [...stored.exact, ...stored.normalized].sort() }).toEqual({
      references,
      found: [...words.ids].sort(),
    });
    const damaged = words.damaged.map((word) => word.slice(0, 4)).filter((tag) => tags.has(tag));
    expect(new Set(stored.damaged)).toEqual(new Set(damaged));
    if (ids.length > words.ids.length) others += 1;
  }
  expect(others).toBeGreaterThan(100);
});

test('what identifies a line depends neither on the time nor on the tags of the search', () => {
  const text = `${generateTransactionId('QQ11', future)} and ${generateTransactionId('ABC1', now)}`;
  const searches = [
    { tags, now },
    { tags: new Set<string>(), now: future },
  ];
  const [one, other] = searches.map((context) => createSearch(context)(lineWith(text)).ids);
  expect(one).toHaveLength(2);
  expect(other).toEqual(one);
});

test.each(['please see notification', 'Collective credit, see notification'])(
  'ordinary words are no damaged id: %s',
  (text) => {
    expect(findIds([text], transactionIds(now)).damaged).toHaveLength(1);
    expect(createSearch({ tags, now })(lineWith(text)).stored).not.toHaveProperty('damaged');
  },
);

test('an id with a known tag and a wrong check character is damaged', () => {
  const id = generateTransactionId('ABC1', now);
  const wrong = `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`;
  const { stored } = createSearch({ tags, now })(lineWith(`Donation ${wrong} thanks`));
  expect(stored.damaged).toEqual(['ABC1']);
});
