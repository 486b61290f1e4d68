import type { Answer, Command } from './commands/command';
import { copyOf, fingerprint, type Model } from './model';

/** A command and what came back. */
export interface Exchange {
  readonly command: Command;
  readonly answer: Answer;
}

export interface Explanation {
  /** How the world may be now: one model for each outcome that some order leads to, empty when none explains the answers. */
  readonly models: Model[];
  /** Whether the order in which the commands were given explains the answers. */
  readonly isInOrder: boolean;
  /** What was expected instead, where an order broke off. */
  readonly mismatches: ReadonlySet<string>;
}

/**
 * Looks for orders in which commands that ran at the same time may have happened one after the other (linearizability).
 * There are few of them at a time, so every order is tried as far as it holds.
 *
 * @param before how the world may have been: more than one when what was seen so far left it open
 */
export function explain(before: readonly Model[], exchanges: readonly Exchange[]): Explanation {
  const [only, ...otherExchanges] = exchanges;
  const [sure, ...otherModels] = before;
  if (only && sure && otherExchanges.length + otherModels.length === 0) return explainOne(sure, only);

  const models = new Map<string, Model>();
  const mismatches = new Set<string>();
  let isInOrder = false;

  const tryOrders = (model: Model, done: number, inOrder: boolean): void => {
    if (done === (1 << exchanges.length) - 1) {
      models.set(fingerprint(model), model);
      isInOrder ||= inOrder;
      return;
    }
    let isFirst = true;
    exchanges.forEach(({ command, answer }, place) => {
      if (done & (1 << place)) return;
      const next = copyOf(model);
      const expected = command.judge(next, answer);
      if (expected === undefined) tryOrders(next, done | (1 << place), inOrder && isFirst);
      else mismatches.add(`${command.title}: ${expected}`);
      isFirst = false;
    });
  };
  for (const model of before) tryOrders(model, 0, true);
  return { models: [...models.values()], isInOrder, mismatches };
}

/** The plain case, which is most of them: one thing at a time, and no doubt about what was before. */
function explainOne(before: Model, { command, answer }: Exchange): Explanation {
  const model = copyOf(before);
  const expected = command.judge(model, answer);
  if (expected === undefined) return { models: [model], isInOrder: true, mismatches: new Set() };
  return { models: [], isInOrder: false, mismatches: new Set([`${command.title}: ${expected}`]) };
}
