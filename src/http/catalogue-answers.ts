import type { JsonBytes } from './send-json';

/** Answers of the catalogue that are the same for everybody of an environment. */
export interface CatalogueAnswers {
  /** The answer under this key, made anew when it is older than it may be. Failures are not kept. */
  find(key: string, make: () => Promise<JsonBytes>): Promise<JsonBytes>;
}

interface Entry {
  readonly answer: Promise<JsonBytes>;
  readonly madeAt: number;
  /** 0 until it is there. */
  bytes: number;
}

/**
 * Keeps what was read from the catalogue for a moment, so that many who ask for the same cost one statement and one
 * rendering. Who asks while the answer is being made shares it.
 *
 * @param lifetimeMs how old an answer may be, from before it was read; 0 keeps nothing
 * @param capacityBytes how much is kept; the oldest makes room
 * @param now milliseconds on a clock that never goes back
 */
export function createCatalogueAnswers(
  lifetimeMs: number,
  capacityBytes: number,
  now: () => number,
): CatalogueAnswers {
  // An answer that is made anew goes to the end, so the oldest is always the first.
  const entries = new Map<string, Entry>();
  let bytes = 0;

  function forget(key: string, entry: Entry): void {
    if (entries.get(key) !== entry) return;
    entries.delete(key);
    bytes -= entry.bytes;
  }

  function makeRoom(): void {
    for (const [key, entry] of entries) {
      if (bytes <= capacityBytes && now() - entry.madeAt < lifetimeMs) return;
      forget(key, entry);
    }
  }

  return {
    find(key, make) {
      const known = entries.get(key);
      if (known && now() - known.madeAt < lifetimeMs) return known.answer;
      if (known) forget(key, known);
      if (lifetimeMs === 0) return make();
      const entry: Entry = { madeAt: now(), answer: make(), bytes: 0 };
      entries.set(key, entry);
      entry.answer.then(
        (answer) => {
          if (entries.get(key) !== entry) return;
          entry.bytes = answer.bytes.length;
          bytes += entry.bytes;
          makeRoom();
        },
        () => {
          forget(key, entry);
        },
      );
      return entry.answer;
    },
  };
}
