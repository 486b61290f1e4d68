import {
  type Known,
  matchEntry,
  visibleSearch,
} from '../../../src/features/bank-statements/contributions/match-entry';
import { mostRepairs } from '../../../src/shared/repaired-ids';
import { createSearch } from '../../../src/features/bank-statements/reading/search-ids';
import { composeTransactionId } from '../../../src/shared/transaction-id';
import { lineWith } from '../../support/files-to-read';
import { isFullRun, takesAllRows } from '../../support/full-run';

/**
 * The results for damaged references while all similar ids exist with equal amounts. The full run
 * prints the figures.
 */
const cents = 25_50n;
const tag = 'K7Q2';
const context = { tags: new Set([tag]), now: new Date('2026-11-30T12:00:00Z') };
/** Consecutive ids from one second. */
const issued = Array.from({ length: 20_000 }, (_, number) =>
  composeTransactionId(tag, new Date('2026-11-02T08:00:00Z'), number),
).filter((id) => id !== undefined);
const known: Known = {
  tags: context.tags,
  contributions: new Map(
    issued.map((id) => [id, { transactionId: id, environmentId: 1, amountCents: cents }]),
  ),
  settlements: new Map(),
  returns: new Set(),
  reset: { ids: new Set<string>(), references: new Set<string>() },
};

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
let state = 20;
/** The same numbers in every run, from 0 to `below`, exclusive. */
function draw(below: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
}
const otherThan = (character = ''): string =>
  alphabet.replace(character, '').charAt(draw(alphabet.length - 1));
const withWrong = (id: string, at: number): string => id.slice(0, at) + otherThan(id[at]) + id.slice(at + 1);

const kinds: Readonly<Record<string, (id: string) => string>> = {
  'in lower case': (id) => id.toLowerCase(),
  'in groups of four': (id) => id.replace(/(.{4})(?=.)/g, '$1 '),
  'O for 0, L for 1': (id) => id.replaceAll('0', 'O').replaceAll('1', 'L'),
  'wrapped in two lines': (id) => `PAYMENT ${id.slice(0, 9)}\n${id.slice(9)} NOVEMBER`,
  'attached to another word': (id) => `GIFT${id}`,
  'one wrong character': (id) => withWrong(id, draw(id.length)),
  'two neighbors swapped': (id) => {
    const at = draw(id.length - 1);
    return id.slice(0, at) + id.charAt(at + 1) + id.charAt(at) + id.slice(at + 2);
  },
  'one character missing': (id) => {
    const at = draw(id.length);
    return id.slice(0, at) + id.slice(at + 1);
  },
  'one character too many': (id) => {
    const at = draw(id.length + 1);
    return id.slice(0, at) + otherThan() + id.slice(at);
  },
  'two wrong characters': (id) => withWrong(withWrong(id, draw(7)), 7 + draw(8)),
  'cut after ten characters': (id) => id.slice(0, 10),
};

/** The matches of an entry with each of these texts. */
function* matchesOf(texts: readonly string[]) {
  for (let start = 0; start < texts.length; start += mostRepairs) {
    // Each file has a limit of repairs.
    const search = createSearch(context);
    for (const text of texts.slice(start, start + mostRepairs)) {
      yield matchEntry(cents, visibleSearch(search(lineWith(text)).stored, known.tags), known).matches;
    }
  }
}

interface Found {
  given: number;
  confirmed: number;
  proposed: number;
  /** Confirmed for another contribution, because the damaged text is its id. */
  spellsAnother: number;
  /** Proposed for another contribution. */
  proposedWrong: number;
  /** Confirmed for another contribution, although the text is not its id. */
  wrong: number;
}

function figuresOf(damage: (id: string) => string, count: number): Found {
  const found = { given: count, confirmed: 0, proposed: 0, spellsAnother: 0, proposedWrong: 0, wrong: 0 };
  const ids = Array.from({ length: count }, () => issued[draw(issued.length)] ?? '');
  // A swap of equal characters is no damage.
  const texts = ids.map((id) => {
    let text = damage(id);
    for (let attempt = 0; text === id && attempt < 100; attempt += 1) text = damage(id);
    return text;
  });
  let at = 0;
  for (const matches of matchesOf(texts)) {
    for (const { transactionId, isConfirmed } of matches) {
      if (transactionId === ids[at]) found[isConfirmed ? 'confirmed' : 'proposed'] += 1;
      else if (!isConfirmed) found.proposedWrong += 1;
      else if (texts[at]?.includes(transactionId)) found.spellsAnother += 1;
      else found.wrong += 1;
    }
    at += 1;
  }
  return found;
}

const figures: (Found & { damage: string })[] = [];
afterAll(() => {
  if (!isFullRun) return;
  const percent = (part: number, { given }: Found): string => `${((100 * part) / given).toFixed(2)} %`;
  const lines = figures.map((row) =>
    [
      row.damage.padEnd(26),
      `of ${row.given}: confirmed ${percent(row.confirmed, row)}, proposed ${percent(row.proposed, row)}`,
      `proposed wrong ${row.proposedWrong}, spells another id ${row.spellsAnother}, confirmed wrong ${row.wrong}`,
    ].join(' '),
  );
  process.stdout.write(`${lines.join('\n')}\n`);
});

test.each(Object.entries(kinds))('an id %s pays no other contribution', (name, damage) => {
  const row = figuresOf(damage, takesAllRows ? 10_000 : isFullRun ? 2_000 : 300);
  figures.push({ damage: name, ...row });
  expect(row.wrong).toBe(0);
  // A swap can spell the id of another contribution. It cannot be distinguished from that id.
  if (name !== 'two neighbors swapped') expect(row.spellsAnother).toBe(0);
  // The first five kinds are no damage, because banks write ids in these forms.
  if (Object.keys(kinds).indexOf(name) < 5) expect(row.confirmed).toBe(row.given);
});

test('no single wrong character pays a contribution by itself', () => {
  const count = takesAllRows ? 1_000_000 : isFullRun ? 100_000 : 10_000;
  const confirmed: string[] = [];
  // One file: after its limit of repairs, damaged ids get no candidates, which are only proposed.
  const search = createSearch(context);
  for (let done = 0; done < count; done += 1) {
    const id = issued[draw(issued.length)] ?? '';
    const damaged = withWrong(id, draw(id.length));
    const { matches } = matchEntry(cents, visibleSearch(search(lineWith(damaged)).stored, known.tags), known);
    if (matches.some(({ isConfirmed }) => isConfirmed)) confirmed.push(damaged);
  }
  expect(confirmed).toEqual([]);
});

test('only a swap that keeps the check character can spell the id of another contribution', () => {
  const ids = new Set(issued);
  let swaps = 0;
  let valid = 0;
  for (const id of issued.slice(0, isFullRun ? issued.length : 500)) {
    for (let at = 0; at + 1 < id.length; at += 1) {
      const swapped = id.slice(0, at) + id.charAt(at + 1) + id.charAt(at) + id.slice(at + 2);
      if (swapped === id) continue;
      swaps += 1;
      if (ids.has(swapped)) valid += 1;
    }
  }
  if (isFullRun) process.stdout.write(`${valid} of ${swaps} swaps spell another issued id\n`);
  expect(valid / swaps).toBeLessThan(0.005);
});
