import { setTimeout as sleep } from 'node:timers/promises';

import type { Command } from './commands/command';
import { explain } from './explain';
import { createModel, type Model } from './model';
import type { KeyPair, ServiceUnderTest } from './service-under-test';

/** What one sequence has said to the service and heard, and what the world may be like by that. */
export interface Exchanges {
  /** One model, or several when what happened at the same time leaves open which was first. */
  beliefs(): readonly Model[];
  /** Keeps the models that are right by what was found out otherwise. */
  keep(right: readonly Model[]): void;
  /**
   * Sends commands at the same time and holds the answers against the model.
   *
   * @param delaysMs how much later each is sent
   * @returns whether the order given explains the answers
   * @throws Error when no order explains them
   */
  send(commands: readonly Command[], delaysMs?: readonly number[]): Promise<boolean>;
  /** A pair that was issued in this sequence. */
  pair(apiKey: string): KeyPair;
  /** Adds a line to what was done. */
  note(line: string): void;
  /** An error that tells everything that was done and answered. */
  failure(what: string, cause?: unknown): Error;
}

export function createExchanges(service: ServiceUnderTest): Exchanges {
  const keyPairs = new Map<string, KeyPair>();
  const transcript: string[] = [];
  let beliefs: readonly Model[] = [createModel()];

  const failure = (what: string, cause?: unknown): Error =>
    new Error(`${what}\nwhat was done:\n${transcript.join('\n')}`, { cause });

  /** Notes an answer; the secret of a new pair is kept and not told. */
  function hear(title: string, { outcome, body }: Awaited<ReturnType<Command['send']>>): void {
    const { api_key: apiKey, api_secret: apiSecret, ...shown } = body;
    if (typeof apiKey === 'string' && typeof apiSecret === 'string')
      keyPairs.set(apiKey, { apiKey, apiSecret });
    transcript.push(`${title} → ${outcome} ${JSON.stringify(shown)}`);
  }

  return {
    beliefs: () => beliefs,
    keep: (right) => {
      beliefs = right;
    },
    async send(commands, delaysMs = []) {
      const results = await Promise.allSettled(
        commands.map(async (command, place) => {
          const delayMs = delaysMs[place] ?? 0;
          if (delayMs > 0) await sleep(delayMs);
          return { command, response: await command.send(service) };
        }),
      );
      const exchanges = results.map((result, place) => {
        // What happened at the same time has a line at its left.
        const title = `${commands.length > 1 ? '| ' : ''}${commands[place]!.title}`;
        if (result.status === 'fulfilled') {
          hear(title, result.value.response);
          return result.value;
        }
        transcript.push(`${title} → failed`);
        throw failure(String(result.reason), result.reason);
      });
      const { models, isInOrder, mismatches } = explain(beliefs, exchanges);
      if (models.length === 0)
        throw failure(`no order explains the answers; expected:\n${[...mismatches].join('\n')}`);
      beliefs = models;
      return isInOrder;
    },
    pair(apiKey) {
      const pair = keyPairs.get(apiKey);
      if (!pair) throw failure(`…${apiKey.slice(-4)} was never issued`);
      return pair;
    },
    note: (line) => void transcript.push(line),
    failure,
  };
}
