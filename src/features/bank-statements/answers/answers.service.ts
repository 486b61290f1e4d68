import type { Principal } from '../../../shared/scopes';
import type { AccountDay } from '../days/account-day';
import type { JudgeNow } from '../decisions/judge-now';
import type { AnswersStore, RecordedAnswer } from './answers.store';
import type { AnswerOutcome, DayAnswer } from './day-answer';

type Decider = Pick<Principal, 'environmentId' | 'apiKey'>;

export interface AnswersService {
  /**
   * Records an answer to a question about a day, and chooses its version at once if the day is
   * free. An answer that names versions is about all days of their statements, and so is its
   * `undo`.
   */
  answer(
    decider: Decider,
    asked: { accountId: string; day: string },
    answer: DayAnswer,
  ): Promise<AnswerOutcome>;
  /** The newest 100 answers about a day, newest first. */
  list(day: AccountDay): Promise<RecordedAnswer[]>;
}

export interface AnswersDependencies {
  store: AnswersStore;
  judgeNow: JudgeNow;
}

export function createAnswersService({ store, judgeNow }: AnswersDependencies): AnswersService {
  return {
    async answer({ environmentId, apiKey }, { accountId, day: asked }, answer) {
      const first = { environmentId, accountId, day: asked };
      const outcome = await store.answer(first, apiKey, answer);
      if (outcome === 'answered') {
        const days = await store.daysOfNewest(first);
        await judgeNow(days.map((day) => ({ ...first, day })));
      }
      return outcome;
    },
    list: (day) => store.list(day),
  };
}
