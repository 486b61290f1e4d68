import type { Principal } from '../../../shared/scopes';
import type { AccountDay } from '../days/account-day';
import type { JudgeNow } from '../decisions/judge-now';
import type { AnswersStore, RecordedAnswer } from './answers.store';
import type { AnswerOutcome, DayAnswer } from './day-answer';

type Decider = Pick<Principal, 'environmentId' | 'apiKey'>;

export interface AnswersService {
  /**
   * Records an answer to a question about a day, and chooses its version at once if the day is
   * free. A statement of several days asks one question: with `to`, the answer is also about the
   * later days with the same question, and `undo` about all later days with an answer. If the call
   * is interrupted, a repeat records the rest.
   */
  answer(
    decider: Decider,
    asked: { accountId: string; day: string; to?: string | undefined },
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
    async answer({ environmentId, apiKey }, { accountId, day, to }, answer) {
      const first = { environmentId, accountId, day };
      const later =
        to === undefined || answer.kind === 'accept' ? [] : await store.laterDays(first, to, answer);
      // The first day comes last: as long as it has the question, a repeat finds the other days.
      for (const other of later) {
        await store.answer({ ...first, day: other }, apiKey, { ...answer, remember: undefined });
      }
      const outcome = await store.answer(first, apiKey, answer);
      if (outcome === 'answered')
        await judgeNow([first, ...later.map((other) => ({ ...first, day: other }))]);
      return outcome;
    },
    list: (day) => store.list(day),
  };
}
