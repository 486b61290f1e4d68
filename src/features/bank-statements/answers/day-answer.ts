interface Answered {
  reason: string;
  /**
   * What the account remembers for later questions about two versions. `nothing` ends it. Days with
   * several statements are then chosen again.
   */
  remember?: 'newest' | 'all_lines' | 'nothing' | undefined;
}

/**
 * What a person answers to a question about a day. `among` has the versions of the question as the
 * person has seen them, in their order. `gap` is its `between`. `undo` takes back all answers about
 * the day.
 */
export type DayAnswer = Answered &
  (
    | { kind: 'version' | 'use_anyway'; version: string; among: readonly string[] }
    | { kind: 'all_lines'; among: readonly string[] }
    | { kind: 'accept'; gap: string }
    | { kind: 'undo' }
  );

/** What became of an answer. Only `answered` and `same` count. */
export type AnswerOutcome =
  | 'answered'
  /** It is the newest answer already. */
  | 'same'
  | 'no_day'
  | 'month_closed'
  /** The question is not the one that the person has seen, or there is none. */
  | 'question_changed'
  | 'nothing_to_undo';
