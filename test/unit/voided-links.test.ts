import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * No rule reads a link that was voided. Every statement that reads `bank_links` says so with
 * `voided_at IS NULL`, or reads only active links, which are never voided (the constraint
 * bank_links_voided_after_unlinked), or is listed here.
 */
const root = path.join(__dirname, '..', '..');

/** The reads of voided links in each file, and why. */
const exceptions: Readonly<Record<string, readonly string[]>> = {
  'database/functions/contribution-totals/count_contributions_of.sql': [
    'cells are split at the times of all links, because those that were counted stay',
  ],
  'database/functions/events/append_environment_event.sql': ['the event reports that the link is voided'],
  'database/functions/events/take_queued_events.sql': [
    'the bank of a voided link gets its last event. For all others, the link shows nothing',
  ],
  'database/functions/sandbox/set_sandbox_settings.sql': [
    'the links with the simulated bank are never voided (bank_links_none_voided_of_simulated_bank)',
    'the same',
  ],
  'src/core/companies/bank-links-lookup.store.ts': ['the operator sees all links of a company'],
  'src/core/companies/bank-links.store.ts': ['the operator chooses one of all links'],
  'src/features/totals/totals.store.ts': ['finds environments; maySee decides about each row'],
  'src/core/contributions/contributions-list.query.ts': [
    'finds environments; maySee decides about each row, and active_at is that of an active link',
  ],
  'src/features/sandbox/settlements.store.ts': ['a link with the simulated bank is never voided'],
  'src/features/bank-statements/days/later-changes.store.ts': ['counts the changes, and voiding is one'],
  'src/features/bank-statements/contributions/stated-contributions.store.ts': [
    'finds environments; maySee decides about each row',
    'the same',
  ],
  'src/operator/contribution-lookup/key-activity.store.ts': ['what a key pair did under the link, it did'],
  'src/operator/verification/environments.checks.ts': ['checks every link'],
  'src/features/events/feeds.checks.ts': ['the bank of a voided link got events'],
  'src/features/totals/totals.checks.ts': ['as count_contributions_of', 'the same'],
};

/** The texts of the SELECT or the UPDATE around each use of the table, up to the end of it. */
function usesIn(text: string): string[] {
  const expanded = text.replace(/\$\{(\w+)\}/g, (whole, name: string) => {
    const condition = new RegExp(`const ${name} = \`([^\`]*)\``).exec(text)?.[1] ?? whole;
    return condition.includes('bank_links') ? whole : condition;
  });
  return [...expanded.matchAll(/\b(FROM|JOIN|UPDATE)\s+bank_links\b/g)].map(({ index }) => {
    let depth = 0;
    let end = index;
    for (; end < expanded.length && depth >= 0; end += 1) {
      const character = expanded.charAt(end);
      if (/^(;|`|UNION)/.test(expanded.slice(end, end + 5)) && depth === 0) break;
      if (character === '(') depth += 1;
      if (character === ')') depth -= 1;
    }
    return expanded.slice(index, end);
  });
}

const excludesVoided = (use: string): boolean => /\bvoided_at IS NULL\b/.test(use);
/** The condition on active links is not part of an OR. */
const readsActive = (use: string): boolean =>
  /\b(AND|WHERE) (l\.)?unlinked_at IS NULL(?!\s+(OR|THEN)\b)/.test(use);

const filesWith = (folder: string, suffix: string): string[] =>
  readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(suffix))
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)));

test('every statement that reads bank links excludes voided ones, or is listed with a reason', () => {
  const counts: Record<string, number> = {};
  for (const file of [...filesWith('src', '.ts'), ...filesWith('database/functions', '.sql')]) {
    const uses = usesIn(readFileSync(path.join(root, file), 'utf8'));
    const others = uses.filter((use) => !excludesVoided(use) && !readsActive(use));
    if (others.length > 0) counts[file] = others.length;
  }
  expect(counts).toEqual(
    Object.fromEntries(Object.entries(exceptions).map(([file, reasons]) => [file, reasons.length])),
  );
});

test.each([
  ['SELECT 1 FROM bank_links l WHERE l.bank_environment_id = $1', false],
  ['SELECT 1 FROM bank_links l WHERE l.voided_at IS NULL', true],
  ['SELECT (SELECT 1 FROM bank_links l) FROM t WHERE t.voided_at IS NULL', false],
  ['SELECT 1 FROM bank_links l WHERE l.bank_environment_id = $1 AND l.unlinked_at IS NULL', true],
  ['SELECT 1 FROM a JOIN bank_links l ON true WHERE (l.unlinked_at IS NULL OR l.unlinked_at > $1)', false],
])('the check itself: %s: %s', (sql, isRight) => {
  expect(usesIn(sql).map((use) => excludesVoided(use) || readsActive(use))).toEqual([isRight]);
});
