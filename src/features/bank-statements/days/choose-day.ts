import { summaryOf } from '../rules/days/day-summary';
import type { ComparedLine, StatementDay } from '../rules/reading/statement';
import type { Answers, DayChoice } from '../rules/versions/choose-version';
import type { StatementLinesStore } from '../statements/statement-lines.store';
import type { ClaimedDay, StoredException } from './account-day';
import type { AccountDaysStore } from './account-days.store';
import type { DayAnswersStore } from './day-answers.store';
import type { ChooseVersion } from './choose-in-thread';

export interface ChooseDependencies {
  days: Pick<AccountDaysStore, 'addExceptions' | 'choose' | 'askAfterClose'>;
  statements: Pick<StatementLinesStore, 'daysOf' | 'linesToCompare'>;
  answers: DayAnswersStore;
  chooseVersion: ChooseVersion;
}

/** What is known of a day before its version is chosen. */
export interface DayToChoose {
  days: StatementDay[];
  answers: Answers;
  /** The lines of the version so far. Undefined unless they are needed for comparison. */
  linesBefore: ComparedLine[] | undefined;
}

function exceptionsOf({ exceptions }: DayChoice): StoredException[] {
  return [...exceptions].map(([ref, kind]) => {
    const [statementId = '', number = ''] = ref.split(' ');
    return { statementId, number: Number(number), kind };
  });
}

/**
 * Chooses the version of a day. In a closed month, the version stays if the new one has other
 * lines, and the day has a question.
 *
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
  if (days.length > 1 || before.isClosed) {
    for (const one of days) {
      one.lines = await statements.linesToCompare(environmentId, accountId, day, one.statementIds);
    }
  }
  const linesBefore = before.isClosed ? await answersStore.linesBefore(claimed) : undefined;
  const { choice, hasSameLines } = await chooseVersion({ days, answers: before.answers, linesBefore });
  if (before.isClosed && !hasSameLines) {
    const versions = [choice?.version.key, before.version].filter((key) => typeof key === 'string');
    return store.askAfterClose(claimed, { kind: 'changed_after_close', versions });
  }
  if (!choice) return store.choose(claimed, undefined);
  await store.addExceptions(claimed, exceptionsOf(choice));
  const { first, problem, statementIds } = choice.version;
  const summary = summaryOf(day, choice);
  return store.choose(claimed, { statementIds: [...statementIds], summary, format: first.format, problem });
}
