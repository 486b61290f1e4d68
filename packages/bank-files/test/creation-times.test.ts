import { readStatementFile } from '../src';
import { creationTimeOf } from '../src/statement-file';
import { StatementFileRefused } from '../src/statement-file-refused';

test.each([
  ['2026-11-20T02:00:00-05:00', '2026-11-20T07:00:00.000Z'],
  ['2026-11-20T02:00:00.5Z', '2026-11-20T02:00:00.500Z'],
  ['2026-11-20T02:00:00', '2026-11-20T02:00:00.000'],
  ['2026-11-20', null],
  ['2026-02-31T02:00:00', null],
  ['2026-11-20T99:00:00Z', null],
  ['yesterday', null],
  ['', null],
])('the creation time %s is %s', (text, expected) => {
  expect(creationTimeOf(text)).toBe(expected);
});

const message = (header: string, statements: readonly string[]): string =>
  `<BkToCstmrStmt><GrpHdr>${header}</GrpHdr>${statements.map((one) => `<Stmt>${one}</Stmt>`).join('')}</BkToCstmrStmt>`;
const timesOf = (content: string) =>
  readStatementFile(Buffer.from(content)).statements.map(({ madeAt }) => madeAt);

test('each statement has its own creation time, or that of its message', () => {
  const own = '<CreDtTm>2026-11-20T03:00:00Z</CreDtTm>';
  const messages = [
    message('<MsgId>1</MsgId><CreDtTm>2026-11-20T02:00:00Z</CreDtTm>', ['', own, '']),
    message('<MsgId>2</MsgId>', ['']),
  ];
  expect(timesOf(`<Document>${messages.join('')}</Document>`)).toEqual([
    '2026-11-20T02:00:00.000Z',
    '2026-11-20T03:00:00.000Z',
    '2026-11-20T02:00:00.000Z',
    null,
  ]);
});

test('the header of a message cannot hide entries or a statement', () => {
  const details = '<MsgRcpt><TxDtls><Amt Ccy="USD">1.00</Amt></TxDtls></MsgRcpt>';
  const entry = '<Ntry><Amt Ccy="USD">2.00</Amt><CdtDbtInd>CRDT</CdtDbtInd></Ntry>';
  const [statement] = readStatementFile(Buffer.from(message(details, [entry]))).statements;
  expect([...(statement?.entries ?? [])]).toMatchObject([{ amountCents: 200n, parts: [] }]);
  const hidden = message('<Stmt></Stmt>', [entry]);
  expect(() => readStatementFile(Buffer.from(hidden))).toThrow(StatementFileRefused);
});
