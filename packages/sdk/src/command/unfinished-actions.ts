import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';

import type { Contribution } from '../generated/api.js';
import type { BankAction } from './bank-config.js';

/** What the bank needs to carry out an action again. */
export interface UnfinishedAction {
  contribution: Pick<Contribution, 'transaction_id' | 'amount' | 'created_at'>;
  action: BankAction;
}

/**
 * Actions with two requests. A completed contribution is not in the list of pending ones, so a bank
 * that stops between the requests finds the second one only here.
 */
export class UnfinishedActions {
  readonly #folder: string;

  /** @param store the folder of the intents; this is a folder in it */
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
    // A .tmp file is that of a killed process, which had sent nothing yet.
    const texts = names
      .filter((name) => !name.endsWith('.tmp'))
      .sort()
      .map((name) => readFile(path.join(this.#folder, name), 'utf8'));
    return (await Promise.all(texts)).map((text) => JSON.parse(text) as UnfinishedAction);
  }
}
