import { createHash, randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';

import { ContributionError, InvalidInput } from '../errors.js';
import type { Intent, IntentStore } from '../intents.js';

/** The name of a file that `put` has not renamed yet. */
const unfinished = /^[0-9a-f]{64}\.json\.[0-9a-f-]{36}\.tmp$/;
/** A `put` takes milliseconds. An older unfinished file is from a killed process. */
const abandonedMs = 86_400_000;

const isMissing = (error: unknown): boolean => (error as { code?: unknown }).code === 'ENOENT';

/** Parses an intent. Undefined for other text. */
function parse(text: string): Intent | undefined {
  try {
    const { id, kind, body } = JSON.parse(text) as Partial<Intent>;
    const isIntent = typeof id === 'string' && typeof kind === 'string' && typeof body === 'object';
    return isIntent ? (JSON.parse(text) as Intent) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a file blocks the path of the folder. */
function isBlocked(folder: string): boolean {
  try {
    return !statSync(folder).isDirectory();
  } catch (error) {
    return (error as { code?: unknown }).code === 'ENOTDIR';
  }
}

/**
 * Removes an unfinished file that is a day old. Its `put` did not resolve, so nothing was sent for
 * it. If the process was only suspended, its `put` fails, and again nothing is sent.
 */
async function removeAbandoned(file: string): Promise<void> {
  // Another process may remove or rename it meanwhile. The next `list` removes a file that is left.
  const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Infinity }));
  if (Date.now() - mtimeMs > abandonedMs) await rm(file, { force: true }).catch(() => undefined);
}

async function flush(folder: string): Promise<void> {
  // Windows cannot open a folder, and does not need this.
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
 * const store = new FileIntentStore('/var/lib/shop/intents');
 * const client = new ContributionService({ store });
 */
export class FileIntentStore implements IntentStore {
  readonly #folder: string;
  #isMade = false;

  /**
   * @param folder the path of the folder. The first `put` creates it
   * @throws InvalidInput without a folder, or if a file has its name
   */
  constructor(folder: string) {
    if (typeof folder !== 'string' || folder === '')
      throw new InvalidInput('folder', "Pass the path of a folder, such as './intents'.");
    if (isBlocked(folder))
      throw new InvalidInput('folder', `${folder} is a file, or in one. Pass the path of a folder.`);
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
    try {
      const handle = await open(temporary, 'wx', 0o600);
      try {
        await handle.writeFile(JSON.stringify(intent));
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(temporary, file);
    } catch (error) {
      // Otherwise, every call on a full disk would leave another file.
      await rm(temporary, { force: true }).catch(() => undefined);
      throw error;
    }
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
      if (unfinished.test(name)) await removeAbandoned(path.join(this.#folder, name));
      // A .tmp file belongs to a put that has not resolved, so nothing was sent for it.
      const intent = name.endsWith('.json') ? await this.#read(path.join(this.#folder, name)) : undefined;
      if (intent) intents.push(intent);
    }
    return intents.sort((one, other) => (one.stored_at < other.stored_at ? -1 : 1));
  }

  /** @throws ContributionError if the file contains anything but its intent */
  async #read(file: string): Promise<Intent | undefined> {
    let text: string;
    try {
      text = await readFile(file, 'utf8');
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
    const intent = parse(text);
    // A copied file has a name that does not match its intent. It would be sent again forever,
    // because `delete` misses it.
    if (intent && this.#fileOf(intent.id) === file) return intent;
    throw new ContributionError(
      `${file} is not a file of this store, or it is damaged. Move it to another folder, and find out what it was: the outcome of its contribution may be unknown.`,
    );
  }
}
