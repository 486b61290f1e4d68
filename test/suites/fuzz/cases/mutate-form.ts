import { hostileText } from './hostile-text';
import type { Mutation } from './mutation';
import { type BodyParts, bodyBytes, type RequestParts } from './request-parts';

type Form = Extract<BodyParts, { media: 'multipart' }>;

const isForm = ({ body }: RequestParts): boolean => body.media === 'multipart';

function form(parts: RequestParts): Form {
  if (parts.body.media !== 'multipart') throw new Error('the body is not a form');
  return parts.body;
}

function setContentType(parts: RequestParts, value: string): void {
  const header = parts.headers.find(([name]) => name === 'Content-Type');
  if (header) header[1] = value;
}

const heads: readonly string[] = [
  'Content-Disposition: form-data; name=amount',
  'Content-Disposition: form-data; name="amount"; filename="a.txt"\r\nContent-Type: text/plain',
  `Content-Disposition: form-data; name="amount"; filename*=utf-8''a`,
  'content-disposition:form-data;name="amount"',
  'Content-Disposition: form-data; name="amount',
  'Content-Disposition: form-data; name=""',
  'Content-Disposition: form-data',
  'Content-Disposition: attachment; name="amount"',
  'Content-Disposition: form-data; name="a\\"b"',
  'Content-Disposition: form-data; name="amount"; name="user_hash"',
  'Content-Disposition: form-data; name="__proto__"',
  'Content-Disposition: form-data; name="amount"\r\nContent-Transfer-Encoding: base64',
  'Content-Disposition: form-data; name="amount"\r\nContent-Type: application/json; charset=utf-16',
  'X-Nothing: 1',
  '',
  `Content-Disposition: form-data; name="${'a'.repeat(5_000)}"`,
  `Content-Disposition: form-data${'; a=b'.repeat(2_000)}; name="amount"`,
  `Content-Disposition: form-data${' '.repeat(10_000)}x`,
  `Content-Disposition: form-data; name="${'\\'.repeat(9_999)}`,
];

/** Mutations of a form. */
export const formMutations: readonly Mutation[] = [
  {
    name: 'form-value',
    weight: 12,
    applies: (parts) => isForm(parts) && form(parts).parts.length > 0,
    apply(parts, random) {
      const part = random.pick(form(parts).parts);
      part.value = hostileText(random, part.value);
    },
  },
  {
    name: 'form-head',
    weight: 6,
    applies: (parts) => isForm(parts) && form(parts).parts.length > 0,
    apply(parts, random) {
      random.pick(form(parts).parts).head = random.pick(heads);
    },
  },
  {
    name: 'form-twice',
    weight: 3,
    applies: (parts) => isForm(parts) && form(parts).parts.length > 0,
    apply(parts, random) {
      const part = random.pick(form(parts).parts);
      for (let count = random.pick([1, 1, 300]); count > 0; count -= 1) form(parts).parts.push({ ...part });
    },
  },
  {
    name: 'form-many',
    weight: 1,
    applies: isForm,
    apply(parts) {
      for (let number = 0; number < 400; number += 1) {
        form(parts).parts.push({ head: `Content-Disposition: form-data; name="f${number}"`, value: '1' });
      }
    },
  },
  {
    name: 'form-boundary',
    weight: 6,
    applies: isForm,
    apply(parts, random) {
      const boundary = random.pick([
        '',
        ' ',
        'a'.repeat(70),
        'a'.repeat(71),
        'é',
        '"',
        'a b',
        '--',
        '(.*)+$',
        '\\r\\n',
        'other',
      ]);
      if (random.chance(0.5)) form(parts).boundary = boundary;
      setContentType(
        parts,
        random
          .pick([
            `multipart/form-data; boundary=${boundary}`,
            `multipart/form-data; boundary="${boundary}"`,
            'multipart/form-data',
            'multipart/form-data; boundary',
            `multipart/form-data; charset=utf-8; boundary=${boundary}; boundary=b`,
            `multipart/mixed; boundary=${boundary}`,
            `multipart/form-data${'; x=y'.repeat(1_000)}`,
          ])
          .replace(/[^\u0020-\u007e]/g, 'e'),
      );
    },
  },
  {
    name: 'form-end',
    weight: 4,
    applies: isForm,
    apply(parts, random) {
      const { boundary } = form(parts);
      form(parts).end = random.pick([
        '',
        `--${boundary}`,
        `--${boundary}--`,
        `--${boundary}--epilogue`,
        `--${boundary}--\r\n--${boundary}--\r\n`,
        `--${boundary}-\r\n`,
        `--${boundary}${' '.repeat(5_000)}`,
        `--${boundary}--\n`,
        `--${boundary}\r\n`.repeat(800),
      ]);
    },
  },
  {
    name: 'form-text',
    weight: 3,
    applies: isForm,
    apply(parts, random) {
      const bytes = bodyBytes(parts.body);
      parts.body = {
        media: 'bytes',
        bytes: random.pick([
          () => Buffer.from(bytes.toString('latin1').replaceAll('\r\n', '\n'), 'latin1'),
          () => Buffer.concat([Buffer.from('preamble\r\n'), bytes]),
          () => bytes.subarray(0, random.integer(0, bytes.length)),
          () => Buffer.concat([bytes, Buffer.from([0xff, 0xc0])]),
          () => Buffer.from(`\r\n--the-boundary-0`.repeat(1_500)),
          () => Buffer.alloc(0),
        ])(),
      };
    },
  },
];
