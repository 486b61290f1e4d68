import type { Server, ServerResponse } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';

/** Forbidden values by description. */
export type ForbiddenValues = Readonly<Record<string, string>>;

/**
 * Searches the service's text for forbidden values: logs, error responses, program output and
 * metrics.
 */
export interface LeakWatch {
  /** @param source where the text is from, for the message */
  look(source: string, text: string): void;
  /** The findings so far: the source, the value's description, and its encoding. */
  readonly found: readonly string[];
  /** @throws Error when anything was found */
  assertNothingFound(): void;
}

/** The base64 of a value inside a longer text, at each of the three possible offsets in a group. */
function base64Inside(word: string, encoding: 'base64' | 'base64url'): string[] {
  return [0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(word)]);
    const text = bytes.toString(encoding).replace(/=+$/, '');
    // The first and the last character also contain bits of their neighbors.
    return text.slice(Math.ceil((before * 8) / 6), bytes.length % 3 === 0 ? undefined : -1);
  });
}

const everyByte = (word: string, write: (byte: number) => string, separator = ''): string =>
  [...Buffer.from(word)].map(write).join(separator);
const twoDigits = (byte: number): string => byte.toString(16).padStart(2, '0');

/** Every encoding of a value that may appear in a log line or response, in lower case. */
export function encodings(word: string): ReadonlyMap<string, string> {
  const json = JSON.stringify(word).slice(1, -1);
  const middle = Math.ceil(word.length / 2);
  const all: [string, string][] = [
    ['as it is', word],
    ['percent-encoded', encodeURIComponent(word)],
    ['as a form field', new URLSearchParams({ '': word }).toString().slice(1)],
    ['percent-encoded throughout', everyByte(word, (byte) => `%${twoDigits(byte)}`)],
    ['in JSON', json],
    ['in JSON in JSON', JSON.stringify(json).slice(1, -1)],
    ['as JSON escapes', everyByte(word, (byte) => `\\u00${twoDigits(byte)}`)],
    [
      'in HTML',
      word.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;'),
    ],
    ['in hexadecimal', everyByte(word, twoDigits)],
    ['as an inspected buffer', everyByte(word, twoDigits, ' ')],
    ['as a buffer in JSON', everyByte(word, String, ',')],
    ...[word, json].flatMap((text) => [
      ...base64Inside(text, 'base64').map((encoded): [string, string] => ['in base64', encoded]),
      ...base64Inside(text, 'base64url').map((encoded): [string, string] => ['in base64url', encoded]),
    ]),
    // Half of a secret already helps an attacker.
    ...(word.length < 24
      ? []
      : ([
          ['its first half', word.slice(0, middle)],
          ['its second half', word.slice(middle)],
        ] as [string, string][])),
  ];
  // Keep the simplest name of equal texts.
  return new Map(all.reverse().map(([how, text]) => [text.toLowerCase(), how]));
}

/** Any API-Secret in plain text: the prefix with more than an ellipsis after it. */
const anySecret = /cps_(test|production)_[0-9a-z]{8}/;
const encodedSecrets = ['cps_test_', 'cps_production_'].flatMap((prefix) =>
  [...encodings(prefix).keys()].filter((text) => text !== prefix),
);

/** Watches for these values and for any API-Secret. */
export function createLeakWatch(words: ForbiddenValues): LeakWatch {
  const given = Object.entries(words).filter(([, word]) => word !== '');
  const searched = given.flatMap(([name, word]) =>
    [...encodings(word)].map(([text, how]) => ({ text, description: `${name} (${how})` })),
  );
  const found: string[] = [];
  return {
    found,
    look(source, text) {
      const lower = text.toLowerCase();
      for (const word of searched) {
        if (lower.includes(word.text)) found.push(`${source}: ${word.description}`);
      }
      const hasSecret = anySecret.test(lower) || encodedSecrets.some((prefix) => lower.includes(prefix));
      if (hasSecret) found.push(`${source}: an API-Secret`);
    },
    assertNothingFound() {
      if (found.length === 0) return;
      throw new Error(`forbidden values were found:\n${[...new Set(found)].join('\n')}`);
    },
  };
}

/** A reused key is named in its error, and only there: the caller has just sent it. */
export function withoutReusedKey(text: string): string {
  if (!text.includes('"code":"idempotency_key_reused"')) return text;
  const { idempotency_key: key = '' } = JSON.parse(text) as { idempotency_key?: string };
  return key === '' ? text : text.replaceAll(key, '');
}

const decoders: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  deflate: inflateSync,
};

/** Passes the headers and body of every error response to a watch. */
export function watchErrorResponses(server: Server, watch: LeakWatch): void {
  server.prependListener('request', (_req, res: ServerResponse) => {
    const chunks: Buffer[] = [];
    const keep = (chunk: unknown): void => {
      if (typeof chunk === 'string') chunks.push(Buffer.from(chunk));
      else if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
    };
    for (const method of ['write', 'end'] as const) {
      const original = res[method].bind(res) as (...values: unknown[]) => unknown;
      Object.assign(res, {
        [method]: (...values: unknown[]) => {
          keep(values[0]);
          return original(...values);
        },
      });
    }
    res.on('finish', () => {
      if (res.statusCode < 400) return;
      const body = Buffer.concat(chunks);
      const decode = decoders[String(res.getHeader('Content-Encoding'))];
      watch.look('headers of an error', JSON.stringify(res.getHeaders()));
      const text = (decode && body.length > 0 ? decode(body) : body).toString();
      watch.look('body of an error', withoutReusedKey(text));
    });
  });
}
