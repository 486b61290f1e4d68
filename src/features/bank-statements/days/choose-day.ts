import { changedAfterClose, keepsBalances, staysAt, summaryOf } from '../rules/days/day-summary';
import type { DayChoice } from '../rules/versions/choose-version';
import { versionChoiceOf } from '../rules/versions/day-version';
import type { StatementDay } from '../rules/reading/statement';
import type { StatementLinesStore } from '../statements/statement-lines.store';
import type { ClaimedDay, StoredException } from './account-day';
import type { AccountDaysStore } from './account-days.store';
import type { DayAnswersStore } from './day-answers.store';
import { type ChooseVersion, VersionsTooLarge } from './choose-in-thread';

export interface ChooseDependencies {
  days: Pick<AccountDaysStore, 'addExceptions' | 'choose' | 'keepClosed'>;
  statements: Pick<StatementLinesStore, 'daysOf' | 'linesToCompare'>;
  answers: DayAnswersStore;
  chooseVersion: ChooseVersion;
}

function exceptionsOf({ exceptions }: DayChoice): StoredException[] {
  return [...exceptions].map(([ref, kind]) => {
    const [statementId = '', number = ''] = ref.split(' ');
    return { statementId, number: Number(number), kind };
  });
}

/** More lines would take too much memory. */
const mostLines = 300_000;
/** Every statement is compared with every other one. */
const mostStatements = 200;

/**
 * Loads the lines of different statements. Of equal ones, that with the least id is compared.
 *
 * @throws VersionsTooLarge
 */
async function loadLines(
  statements: Pick<StatementLinesStore, 'linesToCompare'>,
  { environmentId, accountId, day }: ClaimedDay,
  days: readonly StatementDay[],
): Promise<void> {
  if (new Set(days.map(({ statement }) => statement.digest)).size > mostStatements)
    throw new VersionsTooLarge('a day has too many different statements');
  const digests = new Set<string>();
  let count = 0;
  // They are in the order of their ids.
  for (const one of days) {
    if (digests.has(one.statement.digest)) continue;
    digests.add(one.statement.digest);
    one.lines = await statements.linesToCompare(environmentId, accountId, day, one.statementIds);
    count += one.lines.length;
    if (count > mostLines) throw new VersionsTooLarge('the versions of a day have too many lines');
  }
}

/**
 * Chooses the version of a day. In a closed month, the version stays, and the day has a question if
 * the new one has other lines or balances. Otherwise, a version that replaces another one
 * with other lines is announced, because a wrong new file would replace the right one silently.
 *
 * @throws VersionsTooLarge
 * @returns false, and stores nothing, if the claim was lost or the day has changed
 */
export async function chooseDay(
  { days: store, statements, answers: answersStore, chooseVersion }: ChooseDependencies,
  claimed: ClaimedDay,
): Promise<boolean> {
  const { environmentId, accountId, day } = claimed;
  const before = await answersStore.read(claimed);
  const days = (await statements.daysOf(environmentId, accountId, day)).filter(
    ({ statement }) => statement.isFinal,
  );
  // The first version of a day replaces no other.
  const isCompared = before.version !== null || before.isClosed;
  if (days.length > 1 || isCompared) await loadLines(statements, claimed, days);
  const linesBefore = isCompared ? await answersStore.linesBefore(claimed) : [];
  const { choice, change } = await chooseVersion({ days, answers: before.answers, linesBefore });
  const isOther = change.gone + change.added > 0;
  // A first version in a closed month would add balances or lines, unless nothing happens in it.
  const isFirst = before.version === null;
  const keeps = (it: DayChoice): boolean =>
    isFirst ? staysAt(before.stillCents, it) : keepsBalances(before, it);
  const isKept = choice ? keeps(choice) : isFirst;
  if (before.isClosed) {
    const isAsked = isOther || !isKept;
    const choices = choice && isAsked ? [versionChoiceOf(choice.version)] : [];
    const question = isAsked ? changedAfterClose(choice?.version.key, before.version) : null;
    return store.keepClosed(claimed, question, choices);
  }
  const isReplaced = !before.statementIds.every((id) => choice?.version.statementIds.has(id));
  const notice = isReplaced && isOther ? change : undefined;
  if (!choice) return store.choose(claimed, undefined, notice);
  await store.addExceptions(claimed, exceptionsOf(choice));
  const { first, problem, statementIds } = choice.version;
  const chosen = { summary: summaryOf(day, choice), format: first.format, problem, choices: choice.choices };
  return store.choose(claimed, { ...chosen, statementIds: [...statementIds] }, notice);
}
