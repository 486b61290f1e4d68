import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';

import type { Event } from '../generated/api.js';
import { webhooks } from '../webhooks.js';
import { textOf, UsageError, type Values } from './command.js';

/** The state that the command `listen` keeps between runs. */
export interface ListenerState {
  secret: string;
  /** Changes with each run, so that a run notices when another one uses its file. */
  run_id?: string;
  /** The receiver of the last run. */
  forward_to?: string;
  /** The API-Key of the pair to whose feed the position belongs. */
  api_key?: string;
  after?: number;
  /** The event at this position. Undefined before the first one. */
  event_id?: string;
}

/** A delivery that takes longer has failed. */
export const deliverWithinMs = 15_000;

/** The file that the option names, or the default file in this folder. */
export const stateFile = (values: Values): string =>
  path.resolve(textOf(values, 'state') ?? '.contribution-listen.json');

/** @throws UsageError if it is not JSON */
export async function readState(file: string): Promise<ListenerState | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as ListenerState;
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return undefined;
    throw new UsageError(`${file} cannot be read as JSON.`);
  }
}

/**
 * Keeps the secret and the position in a file, readable only by this account. `save` throws a
 * UsageError after another run has opened the file.
 */
export async function openState(file: string): Promise<{ state: ListenerState; save: () => Promise<void> }> {
  const opened: ListenerState = (await readState(file)) ?? {
    secret: `whsec_${randomBytes(32).toString('base64')}`,
  };
  opened.run_id = randomUUID();
  const write = async (): Promise<void> => {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    const temporary = `${file}.${randomUUID()}.tmp`;
    await writeFile(temporary, JSON.stringify(opened), { mode: 0o600 });
    await rename(temporary, file);
  };
  const save = async (): Promise<void> => {
    const found = await readState(file);
    if (found && found.run_id !== opened.run_id)
      throw new UsageError(`Another "listen" uses ${file}. Pass another file with --state.`);
    await write();
  };
  await write();
  return { state: opened, save };
}

/** Signs an event and sends it. @returns the status, or why there is none */
export async function deliver(
  url: URL,
  secret: string,
  event: Event,
  isReplayed = false,
): Promise<number | string> {
  const body = JSON.stringify(event);
  const headers = {
    'Content-Type': 'application/json',
    ...(await webhooks.sign(body, { id: event.id, secret })),
    ...(isReplayed && { 'Webhook-Replayed': 'true' }),
  };
  try {
    const signal = AbortSignal.timeout(deliverWithinMs);
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    const { cause, message } = error as { cause?: { code?: string; message?: string }; message: string };
    return cause?.code ?? cause?.message ?? message;
  }
}

export const isAccepted = (outcome: number | string): boolean =>
  typeof outcome === 'number' && outcome >= 200 && outcome < 300;
