import type { CommandResponse, Command } from './commands/command';
import { copyOf, fingerprint, type Model } from './model';

/** A command and what came back. */
export interface Exchange {
  readonly command: Command;
  readonly response: CommandResponse;
}

export interface Explanation {
  /**
   * How the world may be now: one model for each outcome that some order leads to, empty when none
   * explains the answers.
   */
  readonly models: Model[];
  /** Whether the order in which the commands were given explains the answers. */
  readonly isInOrder: boolean;
  /** What was expected instead, where an order broke off. */
  readonly mismatches: ReadonlySet<string>;
}

/**
 * Looks for orders in which commands that ran at the same time may have happened one after the
 * other (linearizability). There are few of them at a time, so every order is tried as far as it
 * holds.
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

  /** @param path how the world was before each of what is done by now, and how it is now */
  const tryOrders = (path: readonly Model[], done: number, inOrder: boolean): void => {
    const model = path.at(-1)!;
    if (done === (1 << exchanges.length) - 1) {
      models.set(fingerprint(model), model);
      isInOrder ||= inOrder;
      return;
    }
    let isFirst = true;
    exchanges.forEach((exchange, place) => {
      if (done & (1 << place)) return;
      const { next, expected } = judge(path, exchange);
      if (next) tryOrders([...path, next], done | (1 << place), inOrder && isFirst);
      else mismatches.add(`${exchange.command.title}: ${expected}`);
      isFirst = false;
    });
  };
  for (const model of before) tryOrders([model], 0, true);
  return { models: [...models.values()], isInOrder, mismatches };
}

/** How the world is after an exchange, or what the answer should have been. */
function judge(
  path: readonly Model[],
  { command, response }: Exchange,
): { next: Model; expected?: undefined } | { next?: undefined; expected: string } {
  const now = path.at(-1)!;
  const next = copyOf(now);
  const expected = command.judge(next, response);
  if (expected === undefined) return { next };
  for (const { links, pairs } of command.isJudgedAtItsBeginning ? path.slice(0, -1) : []) {
    const asItBegan = copyOf({ ...now, links, pairs });
    if (command.judge(asItBegan, response) === undefined)
      return { next: { ...asItBegan, links: now.links, pairs: now.pairs } };
  }
  return { expected };
}

/**
 * The plain case, which is most of them: one thing at a time, and no doubt about what was before.
 */
function explainOne(before: Model, exchange: Exchange): Explanation {
  const { next, expected } = judge([before], exchange);
  if (next) return { models: [next], isInOrder: true, mismatches: new Set() };
  return { models: [], isInOrder: false, mismatches: new Set([`${exchange.command.title}: ${expected}`]) };
}
