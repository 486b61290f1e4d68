import { encodeCursor } from '../../../../src/shared/cursor';
import type { Random } from '../../faults/random';

/** Texts that have broken other services, by target. */
const texts: readonly string[] = [
  // empty values and their spellings
  ...['', ' ', 'null', 'undefined', 'NaN', 'true', '[]', '{}', '""', '0', '-0'],
  // numbers and amounts
  ...['-1', '+5', '.5', '5.', '01', '0x10', '1e309', '1e2', '1_000', '1,5', '1 000', '1.005', '0.009', '1.0'],
  ...['１', '٣', '9007199254740993', '9223372036854775808', '2147483648', '1000000.01', '9'.repeat(400)],
  ...['Infinity', '-Infinity', '1'.repeat(18), '0.01', '1000000.00', '999999999999.99'],
  // times
  ...['2026-02-30', '0000-01-01', '0001-01-01', '9999-12-31', '2026-01-01T00:00:60Z', '2026-01-01T24:00:00Z'],
  ...['9999-12-31T23:59:59.999999999Z', `2026-01-01T00:00:00.${'0'.repeat(300)}Z`, '0000-01-01T00:00:00Z'],
  ...['2026-01-01T00:00:00+25:00', '-271821-04-20T00:00:00Z', '+275760-09-13T00:00:00Z', '2026-W01-1', 'now'],
  ...['infinity', 'epoch', '0001-01-01T00:00:00Z', '2026-01-01T00:00Z', '2026-01-01t00:00:00z'],
  // characters
  ...[
    '\u0000',
    'a\u0000b',
    '\u0001\u001f\u007f',
    '\u0085',
    '\ud800',
    '\udfffx',
    '\u202eabc',
    '\ufeff',
    '\u2028',
  ],
  ...[
    'é',
    'e\u0301',
    '😀',
    '👩‍👩‍👧‍👦',
    'ﷺ',
    'İ',
    'ı',
    'ß',
    'ﬀ',
    '\u00a0',
    '\u200b',
    '\t',
    '\v',
    '\\',
    '/',
    '#',
    '?',
    '&',
  ],
  // lengths
  ...['a'.repeat(100), 'a'.repeat(101), '😀'.repeat(101), 'a'.repeat(255), 'a'.repeat(256), 'a'.repeat(1024)],
  ...[
    'a'.repeat(1025),
    'a'.repeat(5000),
    'ﷺ'.repeat(500),
    '%'.repeat(900),
    ' '.repeat(900),
    '-'.repeat(2000),
  ],
  // other languages
  ...[
    `'; DROP TABLE transactions; --`,
    `' OR '1'='1`,
    '$1',
    '${7*7}',
    '{{7*7}}',
    '<script>alert(1)</script>',
  ],
  ...['../../../etc/passwd', '..%2f..%2f', '%00', '%ff', '%c0%ae', '%u0041', '%', '%zz', '=cmd()', '`id`'],
  // names with a meaning in JavaScript
  ...[
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    '__proto__[x]',
    'a[b]',
    'a[]',
    'then',
  ],
  // header injection
  ...['\r\nX-Injected: 1', '\n', '\r', 'a\r\n\r\nGET / HTTP/1.1\r\n\r\n'],
  // ids as people type them
  ...[
    'create',
    'K7Q20CR5M3V9XHG',
    'k7q2-0cr5 m3v9xhg',
    'OOOOOOOOOOOOOOO',
    'ıııııııııııııııß',
    '🏦'.repeat(15),
  ],
];

/** Cursors that this service could have written, and some that it could not. */
const cursorKeys: readonly (readonly (string | number)[])[] = [
  [],
  [0],
  [0, 0],
  [-0, -0],
  [1, 1, 1],
  ['', ''],
  [2_147_483_647, 2_147_483_647],
  [-2_147_483_648, -2_147_483_648],
  [2_147_483_648, 0],
  [Number.MAX_SAFE_INTEGER, 1],
  [Number.MIN_SAFE_INTEGER, 1],
  [0.5, 1],
  [1e300, 1],
  [Number.MAX_SAFE_INTEGER, 'K7Q20CR5M3V9XHG'],
  [Number.MIN_SAFE_INTEGER, 'K7Q20CR5M3V9XHG'],
  [0, 'K7Q20CR5M3V9XHG'],
];

function randomCharacters(random: Random): string {
  const highest = random.pick([0x7f, 0xff, 0x7ff, 0xffff, 0x10ffff]);
  return Array.from({ length: random.integer(1, 40) }, () =>
    String.fromCodePoint(random.integer(0, highest)),
  ).join('');
}

/** Makes a small change to a text, so that a valid text becomes invalid in one place. */
export function mutateText(text: string, random: Random): string {
  const at = random.integer(0, text.length);
  const character = String.fromCodePoint(random.integer(0, random.pick([0x7f, 0xff, 0xffff])));
  switch (random.integer(0, 5)) {
    case 0:
      return text.slice(0, at) + character + text.slice(at);
    case 1:
      return text.slice(0, at) + text.slice(at + 1);
    case 2:
      return text.slice(0, at) + character + text.slice(at + 1);
    case 3:
      return text.slice(0, at);
    case 4:
      return text + text;
    default:
      return random.chance(0.5) ? text.toUpperCase() : ` ${text} `;
  }
}

/**
 * An invalid or unusual text.
 *
 * @param valid a valid text for this place
 */
export function hostileText(random: Random, valid = ''): string {
  const choice = random.next();
  if (choice < 0.45) return random.pick(texts);
  if (choice < 0.75) return mutateText(valid, random);
  if (choice < 0.85) return randomCharacters(random);
  if (choice < 0.93) return encodeCursor(random.pick(cursorKeys));
  return random.pick(texts) + random.pick(texts);
}

/** Percent-encodes a text, sometimes incorrectly; invalid UTF-8 is sent unchanged. */
export function encodeLoosely(text: string, random: Random): string {
  if (random.chance(0.15) || !text.isWellFormed()) return Buffer.from(text, 'utf8').toString('latin1');
  return encodeURIComponent(text);
}

/** A header value consists of bytes; other characters are encoded as UTF-8. */
export function asHeaderBytes(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}
