import type { CommandResponse, Command } from './commands/command';
import { copyOf, fingerprint, type Model } from './model';

/** A command and its response. */
export interface Exchange {
  readonly command: Command;
  readonly response: CommandResponse;
}

export interface Explanation {
  /**
   * The possible states of the world: one model for each outcome of an order; empty when no order
   * explains the responses.
   */
  readonly models: Model[];
  /** Whether the order in which the commands were given explains the responses. */
  readonly isInOrder: boolean;
  /** The expected responses at the points where orders failed. */
  readonly mismatches: ReadonlySet<string>;
}

/**
 * Searches for sequential orders that explain concurrent commands (linearizability). There are few
 * concurrent commands, so every order is tried until it fails.
 *
 * @param before the possible states of the world; more than one if it is still undecided
 */
export function explain(before: readonly Model[], exchanges: readonly Exchange[]): Explanation {
  const [only, ...otherExchanges] = exchanges;
  const [sure, ...otherModels] = before;
  if (only && sure && otherExchanges.length + otherModels.length === 0) return explainOne(sure, only);

  const models = new Map<string, Model>();
  const mismatches = new Set<string>();
  let isInOrder = false;

  /** @param path the states of the world before each executed command, and the current one */
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

/** The state of the world after an exchange, or the expected response. */
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

/** The common case: one command, and one possible state before it. */
function explainOne(before: Model, exchange: Exchange): Explanation {
  const { next, expected } = judge([before], exchange);
  if (next) return { models: [next], isInOrder: true, mismatches: new Set() };
  return { models: [], isInOrder: false, mismatches: new Set([`${exchange.command.title}: ${expected}`]) };
}
