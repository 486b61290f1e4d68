import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

import { readStatementFile, StatementFileRefused } from '@contribution-service/bank-files';

import { compareInThread, VersionsTooLarge } from '../../src/features/bank-statements/days/choose-in-thread';
import { type OpenFile, readInThread } from '../../src/features/bank-statements/reading/read-in-thread';
import { type FilePart, hasProblems, readFile } from '../../src/features/bank-statements/reading/read-file';
import { createReadingSlots } from '../../src/features/bank-statements/reading/reading-slots';
import { createSearch } from '../../src/features/bank-statements/reading/search-ids';
import { createStatementReading } from '../../src/features/bank-statements/reading/statement-reading';
import { threadCpuMs } from '../../src/features/bank-statements/reading/thread-cpu';
import type { StatementDay } from '../../src/features/bank-statements/rules/reading/statement';
import { readStatement } from '../../src/features/bank-statements/rules/reading/read-statement';
import {
  createNumbering,
  type NumberedLine,
} from '../../src/features/bank-statements/statements/number-equal-lines';
import { generateTransactionId } from '../../src/shared/transaction-id';
import { build, root } from '../support/program';
import {
  accountNumber,
  bai2Of,
  contextOfUpload,
  now,
  partsOf,
  threadProgram,
} from '../support/files-to-read';
import { samplesOfFiles } from '../support/sample-files';

/** Threads of the built program read files within their limits. */
beforeAll(build);

const tooLarge = new StatementFileRefused('Reading the file takes too much memory or time. Split it.');
const usual = { cpuMs: 60_000, heapMb: 58 };
const context = contextOfUpload(['ABC1']);

/** A file in pieces, as it arrives. */
function* piecesOf(file: string | Buffer): Generator<Buffer, void> {
  const bytes = Buffer.from(file);
  for (let at = 0; at < bytes.length; at += 50_000) yield bytes.subarray(at, at + 50_000);
}

const open = (file: string | Buffer, limits = usual, signal?: AbortSignal): Promise<OpenFile> =>
  readInThread(piecesOf(file), context, { program: threadProgram, limits, signal });

async function allOf({ parts, close }: OpenFile): Promise<FilePart[]> {
  const all: FilePart[] = [];
  for await (const part of parts) all.push(part);
  await close();
  return all;
}

async function linesOf(opened: OpenFile): Promise<NumberedLine[]> {
  return (await allOf(opened)).flatMap((part) => ('lines' in part ? part.lines : []));
}

/** The number of threads of this process. */
const threads = (): number => readdirSync('/proc/self/task').length;

/** The CPU time of the main thread, in milliseconds. */
const mainCpuMs = (): number => threadCpuMs({} as never, `/proc/self/task/${process.pid}`);

/** Texts whose damaged ids have the tag, so each costs all candidates. */
const damagedTexts = (count: number): string[] =>
  Array.from({ length: count }, () => {
    const id = generateTransactionId('ABC1', now);
    return Array.from(
      { length: 20 },
      (_, at) => `${id.slice(0, 5 + (at % 9))}${id.slice(6 + (at % 9))}`,
    ).join(' ');
  });

test('a thread reads the same lines as the function', async () => {
  const id = generateTransactionId('ABC1', now);
  const file = bai2Of([
    ...Array.from({ length: 2_100 }, (_, at) => `text ${at}`),
    id,
    `for ${id.toLowerCase()}`,
  ]);
  const expected = await readFile(piecesOf(file), context);
  const opened = await open(file);
  expect(opened.file).toEqual(expected.file);
  const parts = await allOf(opened);
  expect(parts).toEqual(partsOf(expected.parts));
  expect(parts.slice(-2)[0]).toMatchObject({ statement: 1, lines: { length: 102 } });
  expect(
    JSON.stringify(parts, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
  ).not.toMatch(/text 1|for /);
});

test.each(samplesOfFiles())('%s: a thread gives the lines and days of its rules', async (_name, sample) => {
  const { bytes, mapping } = sample;
  const opened = await readInThread(piecesOf(bytes), { ...context, mapping }, { program: threadProgram });
  const parts = await allOf(opened);
  const file = readStatementFile(bytes, mapping);
  const search = createSearch(context);
  const ends = parts.flatMap((part) => ('head' in part ? part : []));
  expect(ends).toHaveLength(file.statements.length);
  for (const [at, { statement, head, days }] of ends.entries()) {
    const reading = readStatement(file.statements[at]!, {
      ...{ statementId: head.statementId, format: file.format, search, uploadedOn: '2026-11-30' },
      hasProblems: hasProblems(file, at),
    });
    const lines = [...reading.lines].map(createNumbering());
    const read = parts.filter((part) => part.statement === statement);
    expect(read.flatMap((part) => ('lines' in part ? part.lines : []))).toEqual(lines);
    expect({ head, days }).toEqual(reading.end());
  }
});

test('a file that takes too much CPU time is refused, and the main thread stays idle', async () => {
  const file = bai2Of(damagedTexts(40_000));
  const before = mainCpuMs();
  let ticks = 0;
  const ticking = setInterval(() => (ticks += 1), 20);
  const reading = open(file, { ...usual, cpuMs: 800 }).then(linesOf);
  await expect(reading).rejects.toEqual(tooLarge);
  clearInterval(ticking);
  // The file itself was made here.
  expect(mainCpuMs() - before).toBeLessThan(600);
  expect(ticks).toBeGreaterThan(10);
});

test('the limit covers the whole life of the thread: reading and the search in all batches', async () => {
  const opened = await open(bai2Of(damagedTexts(30_000)), { ...usual, cpuMs: 60_000 });
  await opened.close();
  // Enough to read the file, but not to search for ids in it as well.
  const cpuMs = await cpuOf(bai2Of(Array.from({ length: 30_000 }, () => 'x'.repeat(300))));
  const limited = open(bai2Of(damagedTexts(30_000)), { ...usual, cpuMs: cpuMs * 1.2 });
  await expect(limited.then(linesOf)).rejects.toEqual(tooLarge);
});

/** The CPU time that reading a file takes, without its batches. */
async function cpuOf(file: string): Promise<number> {
  const before = process.cpuUsage();
  const { close } = await open(file);
  await close();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

test('many equal lines are read in time', async () => {
  const file = bai2Of(Array.from({ length: 50_000 }, () => 'the same text')).replaceAll(/R-\d+/g, 'R');
  const lines = await linesOf(await open(file));
  expect(lines).toHaveLength(50_000);
  expect(new Set(lines.map(({ content }) => content)).size).toBe(1);
  expect(lines.at(-1)?.occurrence).toBe(50_000);
});

test('a loaded machine does not refuse a valid file, although the wall clock exceeds the limit', async () => {
  const file = bai2Of(damagedTexts(2_000));
  const busy = Array.from({ length: availableParallelism() * 6 }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  );
  try {
    // A busy CPU is slower, so the CPU time is measured beside the same load.
    const before = process.cpuUsage();
    await linesOf(await open(file));
    const { user, system } = process.cpuUsage(before);
    const limits = { ...usual, cpuMs: ((user + system) / 1_000) * 2 };
    const startedAt = performance.now();
    const lines = await linesOf(await open(file, limits));
    expect(lines).toHaveLength(2_000);
    expect(performance.now() - startedAt).toBeGreaterThan(limits.cpuMs);
  } finally {
    await Promise.all(
      busy.map((child) => {
        child.kill('SIGKILL');
        return once(child, 'exit');
      }),
    );
  }
});

test('a bomb is refused within the memory of the process', async () => {
  const bomb = gzipSync(Buffer.alloc(400 * 1024 * 1024));
  const before = process.memoryUsage.rss();
  await expect(open(bomb)).rejects.toEqual(new StatementFileRefused('The file has more than 16 MiB.'));
  expect(process.memoryUsage.rss() - before).toBeLessThan(120 * 1024 * 1024);
});

/** One entry with many parts, which stay objects while the entry is read. */
function camtOf(parts: number): string {
  const part = '<TxDtls><Refs><EndToEndId>E</EndToEndId></Refs><Amt Ccy="USD">1</Amt></TxDtls>'.repeat(parts);
  const entry = `<Ntry><Amt Ccy="USD">${parts}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts><NtryDtls>${part}</NtryDtls></Ntry>`;
  return `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt><Acct><Id><Othr><Id>1</Id></Othr></Id></Acct>${entry}</Stmt></BkToCstmrStmt></Document>`;
}

test('a file that takes too much memory is refused, and the process goes on', async () => {
  await expect(open(camtOf(60_000), { ...usual, heapMb: 8 }).then(linesOf)).rejects.toEqual(tooLarge);
  expect(await linesOf(await open(bai2Of(['text'])))).toHaveLength(1);
});

test('the thread of a dry run stops when its uploader leaves', async () => {
  const before = threads();
  const leaving = new AbortController();
  const reading = open(bai2Of(damagedTexts(40_000)), usual, leaving.signal).then(linesOf);
  setTimeout(() => {
    leaving.abort(new Error('the uploader left'));
  }, 300);
  await expect(reading).rejects.toThrow('the uploader left');
  expect(threads()).toBe(before);
  await expect(open(bai2Of(['text']), usual, leaving.signal)).rejects.toThrow('the uploader left');
});

test('a slot is free again after a failure, after the uploader left, and after work that threw', async () => {
  const slots = createReadingSlots({ threads: 1, waiting: 1 });
  const reading = createStatementReading(
    (pieces, given, options) => readInThread(pieces, given, { ...options, program: threadProgram }),
    slots,
  );
  const read = (file: string, signal?: AbortSignal, work = linesOf) =>
    reading.inSlot('A', () => reading.read(piecesOf(file), context, work, signal), { waitMs: 10_000 });
  await expect(read('')).rejects.toBeInstanceOf(StatementFileRefused);
  await expect(read(bai2Of(['text']), AbortSignal.abort(new Error('left')))).rejects.toThrow('left');
  await expect(read(bai2Of(['text']), undefined, () => Promise.reject(new Error('work')))).rejects.toThrow(
    'work',
  );
  expect(await read(bai2Of(['text']))).toHaveLength(1);
});

test('an error in the thread says nothing about the file', async () => {
  const broken = readInThread(
    piecesOf(bai2Of(['text'])),
    { ...context, now: accountNumber as never },
    { program: threadProgram },
  );
  const error = await broken.then(linesOf).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Error);
  expect(String((error as Error).stack)).not.toContain(accountNumber);
  expect((error as Error).message).toBe('the statement cannot be read: TypeError');
});

test('the file is read as it arrives, and a failure of its source is the failure of the reading', async () => {
  let sent = 0;
  function* failing(): Generator<Buffer, void> {
    for (const piece of piecesOf(bai2Of(Array.from({ length: 20_000 }, (_, at) => `text ${at}`)))) {
      sent += 1;
      if (sent === 3) throw new Error('the database is gone');
      yield piece;
    }
  }
  const reading = readInThread(failing(), context, { program: threadProgram });
  await expect(reading).rejects.toThrow('the database is gone');
  expect(sent).toBe(3);
});

test('a refused file is not read further', async () => {
  let sent = 0;
  let isClosed = false;
  function* endless(): Generator<Buffer, void> {
    try {
      for (;;) {
        sent += 1;
        yield Buffer.from(sent === 1 ? '%PDF-1.7'.padEnd(1_000) : ' '.repeat(1_000));
      }
    } finally {
      isClosed = true;
    }
  }
  const reading = readInThread(endless(), context, { program: threadProgram });
  await expect(reading).rejects.toThrow(StatementFileRefused);
  expect(sent).toBeLessThan(5);
  expect(isClosed).toBe(true);
});

test('a thread compares the versions of a day within its CPU time', async () => {
  const dayOf = (id: number, lines: number): StatementDay => {
    const texts = Array.from({ length: lines }, (_, at) => `text ${id} ${at}`);
    const statement = readStatementFile(Buffer.from(bai2Of(texts))).statements[0]!;
    const reading = readStatement(statement, {
      ...{ statementId: `S${id}`, format: 'csv', hasProblems: false, uploadedOn: '2026-11-30' },
      search: createSearch(context),
    });
    const read = [...reading.lines].map((line, at) => ({ ...line, reference: `${id} ${at}` }));
    return { ...reading.end().days[0]!, lines: read };
  };
  const compare = (lines: number, cpuMs: number) =>
    compareInThread(
      {
        days: Array.from({ length: 20 }, (_, id) => dayOf(id, lines)),
        answers: { day: [], remembered: null },
        linesBefore: [],
      },
      { cpuMs, program: path.join(root, 'dist/src/features/bank-statements/days/choose.worker.js') },
    );
  const { choice } = await compare(10, 60_000);
  expect(choice?.question).toMatchObject({ kind: 'two_versions' });
  await expect(compare(3_000, 300)).rejects.toThrow(VersionsTooLarge);
});
