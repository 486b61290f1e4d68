import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';

import type { Intent, IntentStore } from '../intents.js';

const isMissing = (error: unknown): boolean => (error as { code?: unknown }).code === 'ENOENT';

async function flush(folder: string): Promise<void> {
  // Windows cannot open a folder, and does not need to.
  const handle = await open(folder, 'r').catch(() => undefined);
  try {
    await handle?.sync();
  } finally {
    await handle?.close();
  }
}

/**
 * Keeps each intent in a file of a folder, readable only by the account of the process. An intent
 * is on the disk before the first attempt. Use a folder that survives a restart, on a local disk.
 *
 * @example
 * const client = new Client({ …, store: new FileIntentStore('/var/lib/shop/intents') });
 */
export class FileIntentStore implements IntentStore {
  readonly #folder: string;
  #isMade = false;

  constructor(folder: string) {
    this.#folder = path.resolve(folder);
  }

  #fileOf(id: string): string {
    return path.join(this.#folder, `${createHash('sha256').update(id).digest('hex')}.json`);
  }

  async put(intent: Intent): Promise<void> {
    if (!this.#isMade) await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    this.#isMade = true;
    const file = this.#fileOf(intent.id);
    const temporary = `${file}.${randomUUID()}.tmp`;
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(JSON.stringify(intent));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
    await flush(this.#folder);
  }

  async get(id: string): Promise<Intent | undefined> {
    return this.#read(this.#fileOf(id));
  }

  async delete(id: string): Promise<void> {
    await rm(this.#fileOf(id), { force: true });
  }

  /** All intents, oldest first. */
  async list(): Promise<Intent[]> {
    const names = await readdir(this.#folder).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
    const intents: Intent[] = [];
    for (const name of names) {
      // A .tmp file belongs to a put that has not resolved, so nothing was sent for it.
      const intent = name.endsWith('.json') ? await this.#read(path.join(this.#folder, name)) : undefined;
      if (intent) intents.push(intent);
    }
    return intents.sort((one, other) => (one.stored_at < other.stored_at ? -1 : 1));
  }

  async #read(file: string): Promise<Intent | undefined> {
    try {
      return JSON.parse(await readFile(file, 'utf8')) as Intent;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }
}
