import { entryIdOf } from '../../src/features/bank-statements/days/line-outcomes';
import { termsOf } from '../../src/features/bank-statements/rules/days/reconciliation';
import { groupBy } from '../../src/shared/group-by';
import { ids } from '../unit/bank-statements/bank-months';
import type { StatementDays } from './statement-days';
import type { StoredDays } from './stored-days';

/** What the rules result in, without the database. */
function expectedOf(account: StatementDays, accountId: string) {
  const lines = account.lines();
  const replaced = account.replaced().map(({ line }) => ({ day: line.day, cents: line.cents }));
  const terms = groupBy(
    lines.flatMap((line) => [termsOf(line)]).filter(([own]) => own),
    ([own]) => own!.term,
  );
  return {
    versions: account.rows().map(({ day, version, openingCents, closingCents, changeCents, question }) => ({
      ...{ day, version, question },
      opening_cents: openingCents?.toString() ?? null,
      closing_cents: closingCents?.toString() ?? null,
      change_cents: changeCents.toString(),
    })),
    lines: lines
      .map(({ key, state, outcome, reason, line, chargesCents }) => ({
        ...{ id: entryIdOf(accountId, key), state, outcome, reason },
        ...{ cents: line.cents.toString(), charges: chargesCents.toString() },
      }))
      .sort((one, other) => (one.id < other.id ? -1 : 1)),
    replaced: [...groupBy(replaced, ({ day, cents }) => `${day} ${String(cents).padStart(20, '0')}`)]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([, same]) => ({ day: same[0]!.day, cents: same[0]!.cents.toString(), count: same.length })),
    money: ids
      .map((id) => ({ id, ...account.moneyOf(id) }))
      .map(({ id, paid, returned }) => ({ id, paid: paid.toString(), returned: returned.toString() }))
      .filter(({ paid, returned }) => paid !== '0' || returned !== '0')
      .sort((one, other) => (one.id < other.id ? -1 : 1)),
    terms: [...terms]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([term, parts]) => ({
        term,
        cents: parts.reduce((sum, [own]) => sum + own!.cents, 0n).toString(),
        fees: parts.reduce((sum, [, fee]) => sum + (fee?.cents ?? 0n), 0n).toString(),
      })),
  };
}

/** Compares an account in the database with the same one in memory. */
export async function expectEqual(
  stored: StoredDays,
  memory: StatementDays,
  accountId: string,
): Promise<void> {
  const { money, ...seen } = await stored.seen();
  const { money: expectedMoney, ...expected } = expectedOf(memory, accountId);
  expect(seen).toEqual(expected);
  expect(money.map(({ id, paid, returned }) => ({ id, paid, returned }))).toEqual(expectedMoney);
}
