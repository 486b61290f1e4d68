import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';

import type { Contribution } from '../generated/api.js';
import type { BankAction } from './bank-config.js';

/** The data that the bank needs to repeat an action. */
export interface UnfinishedAction {
  contribution: Pick<Contribution, 'transaction_id' | 'amount' | 'created_at'>;
  action: BankAction;
}

/**
 * Stores actions that need two requests. A bank that stops between them finds the second request
 * only here: the list of pending contributions no longer has the completed one.
 */
export class UnfinishedActions {
  readonly #folder: string;

  /** @param store the folder of the intents; the actions are in a subfolder */
  constructor(store: string) {
    this.#folder = path.join(store, 'unfinished');
  }

  #fileOf({ contribution }: UnfinishedAction): string {
    return path.join(this.#folder, contribution.transaction_id);
  }

  /** Resolves when the action is on the disk. */
  async add(unfinished: UnfinishedAction): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const file = this.#fileOf(unfinished);
    const handle = await open(`${file}.tmp`, 'w', 0o600);
    try {
      await handle.writeFile(JSON.stringify(unfinished));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(`${file}.tmp`, file);
  }

  async remove(unfinished: UnfinishedAction): Promise<void> {
    await rm(this.#fileOf(unfinished), { force: true });
  }

  async list(): Promise<UnfinishedAction[]> {
    const names = await readdir(this.#folder).catch(() => []);
    // A .tmp file is from a killed process that had not sent anything yet.
    const texts = names
      .filter((name) => !name.endsWith('.tmp'))
      .sort()
      .map((name) => readFile(path.join(this.#folder, name), 'utf8'));
    return (await Promise.all(texts)).map((text) => JSON.parse(text) as UnfinishedAction);
  }
}
