import { isUtf8 } from 'node:buffer';

import { type FormPart, readForm } from '../../src/http/request/multipart';
import { longTest } from '../support/full-run';

const type = 'multipart/form-data; boundary=b-1';
const field = (head: string, value = '1'): string => `--b-1\r\n${head}\r\n\r\n${value}\r\n`;
const named = (name: string): string => `Content-Disposition: form-data; name="${name}"`;
const form = (...parts: string[]): Buffer => Buffer.from(`${parts.join('')}--b-1--\r\n`);
const read = (...parts: string[]): FormPart[] | undefined => readForm(form(...parts), type);
const amount: FormPart = { name: 'amount', isFile: false, value: '1' };

test.each<[string, string]>([
  ['a folded header', field('Content-Disposition: form-data;\r\n name="amount"')],
  ['a header folded twice, with a tab', field('Content-Disposition:\r\n\tform-data;\r\n  name="amount"')],
  ['a name without quotation marks', field('Content-Disposition: form-data; name=amount')],
  ['blanks after the boundary', field(named('amount')).replace('\r\n', ' \t\r\n')],
  ['a semicolon at the end', field(`${named('amount')};`)],
  ['a named charset', field(`Content-Type: text/plain; charset=ISO-8859-1\r\n${named('amount')}`)],
  ['a Content-Length header', field(`${named('amount')}\r\nContent-Length: 1`)],
  [
    'a transfer encoding that changes nothing',
    field(`${named('amount')}\r\nContent-Transfer-Encoding: 8BIT`),
  ],
])('a part with %s is accepted', (_what, part) => {
  expect(read(part)).toEqual([amount]);
});

test.each<[string, string]>([
  ['without headers', `--b-1\r\n\r\n1\r\n`],
  ['without headers and content', '--b-1\r\n\r\n'],
  ['without anything', '--b-1\r\n'],
  ['with headers that continue to the next boundary', `--b-1\r\n${named('amount')}\r\n`],
  ['with two names', field('Content-Disposition: form-data; name="amount"; name="user_hash"')],
  [
    'with two names in different case',
    field('Content-Disposition: form-data; name="amount"; Name=user_hash'),
  ],
  ['with a name and an extended name', field(`${named('amount')}; name*=utf-8''user_hash`)],
  ['with two dispositions', field(`${named('amount')}\r\n${named('user_hash')}`)],
  ['with a disposition of another kind', field('Content-Disposition: attachment; name="amount"')],
  ['with an empty name', field(named(''))],
  ['with an open quotation mark', field('Content-Disposition: form-data; name="amount')],
  ['with text behind the name', field(`${named('amount')} user_hash`)],
  ['with a line that is not a header', field(`${named('amount')}\r\nuser_hash`)],
  ['with a blank before the colon', field('Content-Disposition : form-data; name="amount"')],
  ['with a transfer encoding', field(`${named('amount')}\r\nContent-Transfer-Encoding: base64`, 'MQ==')],
  ['with text after the boundary', `--b-1x\r\n${named('amount')}\r\n\r\n1\r\n`],
])('a form with a part %s is rejected at any position of the part', (_what, part) => {
  const other = field(named('project_id'));
  expect(read(part)).toBeUndefined();
  expect(read(other, part)).toBeUndefined();
  expect(read(part, other)).toBeUndefined();
});

test('text keeps its bytes, and only UTF-8 is text', () => {
  expect(read(field(named('à'), '\u00a0à\u0085\r\n--b\r\n\r\n'))).toEqual([
    { name: 'à', isFile: false, value: '\u00a0à\u0085\r\n--b\r\n\r\n' },
  ]);
  expect(read(field('Content-Disposition: form-data; name=à'))?.[0]?.name).toBe('à');
  for (const part of [field(named('name'), 'é'), field(named('é'))]) {
    const latin1 = Buffer.from(form(part).toString('utf8'), 'latin1');
    expect(readForm(latin1, type)).toBeUndefined();
  }
});

test.each([
  'multipart/form-data',
  'multipart/form-data; boundary=',
  'multipart/form-data; boundary=""',
  'multipart/form-data; boundary=b-1; boundary=b-2',
  `multipart/form-data; boundary=${'b'.repeat(71)}`,
])('a form with the type %s is rejected', (contentType) => {
  expect(readForm(form(field(named('amount'))), contentType)).toBeUndefined();
});

/** A slow reference parser with the same rules, which splits the text at once. */
function readSlowly(body: Buffer): FormPart[] | undefined {
  const parts: FormPart[] = [];
  for (const piece of `\r\n${body.toString('latin1')}`.split('\r\n--b-1').slice(1)) {
    if (/^--[ \t]*(\r\n|$)/.test(piece)) return parts;
    const [first = '', ...rest] = piece.replace(/^[ \t]*/, '').split('\r\n\r\n');
    if (!first.startsWith('\r\n') || rest.length === 0) return undefined;
    const headers = first
      .slice(2)
      .replace(/\r\n[ \t]+/g, ' ')
      .split('\r\n')
      .map((line) => /^([\w!#$%&'*+.^`|~-]+):[ \t]*([^\r\n]*?)[ \t;]*$/.exec(line));
    const keys = headers.map((header) => header?.[1]?.toLowerCase());
    if (keys.includes(undefined) || new Set(keys).size < keys.length) return undefined;
    const encoding = headers[keys.indexOf('content-transfer-encoding')]?.[2] ?? '8bit';
    const value = headers[keys.indexOf('content-disposition')]?.[2] ?? '';
    const pair = /[ \t]*;[ \t]*([\w*-]+)[ \t]*=[ \t]*("(?:[^"\\]|\\.)*"|[^ \t;"]+)/g;
    if (!/^(7bit|8bit|binary)$/i.test(encoding) || !/^form-data/i.test(value)) return undefined;
    if (value.slice('form-data'.length).replace(pair, '') !== '') return undefined;
    const found = [...value.matchAll(pair)].map(([, key = '', text = '']): [string, string] => [
      key.toLowerCase(),
      text.replace(/^"([^]*)"$/, '$1'),
    ]);
    const parameters = new Map(found);
    const name = Buffer.from(parameters.get('name') ?? '', 'latin1');
    const content = Buffer.from(rest.join('\r\n\r\n'), 'latin1');
    const isFile = parameters.has('filename') || parameters.has('filename*');
    if (parameters.size < found.length || parameters.has('name*') || name.length === 0) return undefined;
    if (!isUtf8(name) || (!isFile && !isUtf8(content))) return undefined;
    parts.push({ name: name.toString(), isFile, value: isFile ? '' : content.toString() });
  }
  return undefined;
}

/** Deterministic, so that a failure can be reproduced. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const pieces = [
  '\r\n',
  '\r\n\r\n',
  '--b-1',
  '\r\n--b-1',
  '\r\n--b-1--',
  '--',
  ';',
  ' ',
  '\t',
  '"',
  '\\',
  ':',
];
const heads = [
  'name=amount',
  '; name="a"',
  '; filename=a',
  'Content-Disposition',
  'form-data',
  'é',
  '\0',
  '\r',
];

longTest('20,000 mutated forms give the same result as the reference parser, and none throws', () => {
  const random = createRandom(20_261_122);
  const parts = [
    field(named('project_id')),
    field('Content-Type: text/plain\r\nContent-Disposition: form-data; name=amount', '25.00'),
    field(`${named('user_hash')}\r\nContent-Transfer-Encoding: binary`, 'aGFzaA=='),
    field('content-disposition:form-data;\r\n name="name"', 'Zoë'),
    field(`${named('file')}; filename="a.txt"`, 'text'),
  ];
  const outcomes = { read: 0, rejected: 0 };
  for (let number = 0; number < 20_000; number += 1) {
    let text = form(...parts.filter(() => random(3) > 0)).toString('latin1');
    for (let changes = random(4); changes >= 0; changes -= 1) {
      const at = random(text.length + 1);
      const all = [...pieces, ...heads, ...parts];
      const put =
        random(3) === 0 ? '' : random(6) === 0 ? String.fromCharCode(random(256)) : all[random(all.length)]!;
      text = text.slice(0, at) + put + text.slice(at + (random(2) === 0 ? 0 : random(8)));
    }
    const body = Buffer.from(text, 'latin1');
    const result = readForm(body, type);
    expect({ text, result }).toEqual({ text, result: readSlowly(body) });
    outcomes[result ? 'read' : 'rejected'] += 1;
  }
  expect(outcomes.read).toBeGreaterThan(1_000);
  expect(outcomes.rejected).toBeGreaterThan(1_000);
});
