import { setTimeout as sleep } from 'node:timers/promises';

import type { Command } from './commands/command';
import { explain } from './explain';
import { createModel, type Model } from './model';
import type { KeyPair, ServiceUnderTest } from './service-under-test';

/** The requests and responses of one sequence, and the possible states of the world. */
export interface Exchanges {
  /** One model, or several if the order of concurrent actions is still unknown. */
  beliefs(): readonly Model[];
  /** Keeps the models that match later observations. */
  keep(right: readonly Model[]): void;
  /**
   * Sends commands concurrently and compares the responses with the model.
   *
   * @param delaysMs the delay before each is sent
   * @returns whether the given order explains the responses
   * @throws Error when no order explains them
   */
  send(commands: readonly Command[], delaysMs?: readonly number[]): Promise<boolean>;
  /** A key pair that was issued in this sequence. */
  pair(apiKey: string): KeyPair;
  /** Adds a line to the transcript. */
  note(line: string): void;
  /** An error with the whole transcript. */
  failure(what: string, cause?: unknown): Error;
}

export function createExchanges(service: ServiceUnderTest): Exchanges {
  const keyPairs = new Map<string, KeyPair>();
  const transcript: string[] = [];
  let beliefs: readonly Model[] = [createModel()];

  const failure = (what: string, cause?: unknown): Error =>
    new Error(`${what}\ntranscript:\n${transcript.join('\n')}`, { cause });

  /** Records a response; the secret of a new key pair is stored but not printed. */
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
        // Concurrent actions have a line on the left.
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
        throw failure(`no order explains the responses; expected:\n${[...mismatches].join('\n')}`);
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
