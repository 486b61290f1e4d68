import path from 'node:path';

import type { EntryPart } from '@contribution-service/bank-files';

import type { FilePart, ReadContext } from '../../src/features/bank-statements/reading/read-file';
import { root } from './program';

/** The account number of the files, which must appear nowhere. */
export const accountNumber = '990000003000';

/** The records of a BAI2 file with one statement: an entry for each text, of one cent each. */
export function bai2Of(texts: readonly string[], date = '261120'): string {
  const cents = texts.length;
  return [
    `01,BANK,CUSTOMER,${date},0600,1,,,2/`,
    `02,CUSTOMER,BANK,1,${date},,USD,2/`,
    `03,${accountNumber},USD,010,0,,,015,${cents},,/`,
    ...texts.map((text, at) => `16,142,1,Z,R-${at},,${text}/`),
    `49,${cents * 2},${texts.length + 2}/`,
    `98,${cents * 2},1,${texts.length + 4}/`,
    `99,${cents * 2},1,${texts.length + 6}/`,
    '',
  ].join('\n');
}

/** The compiled program of the thread that reads a file. Build it first. */
export const threadProgram = path.join(root, 'dist/src/features/bank-statements/reading/read.worker.js');

export const now = new Date('2026-11-30T12:00:00Z');

/** What the reader of an upload knows. */
export const contextOfUpload = (tags: readonly string[] = []): ReadContext => ({
  ...{ tags: new Set(tags), now, attemptId: '019a0000-0000-7000-8000-000000000001' },
});

/** A line of one cent with this text. */
export const lineWith = (...references: string[]): EntryPart => ({
  ...{ line: 1, direction: 'credit', amountCents: 1n, currency: 'USD', chargesCents: 0n },
  ...{ identifiers: references, references, returnCode: null },
});

/** All parts of a file. */
export function partsOf(parts: Iterator<FilePart, void>): FilePart[] {
  const all: FilePart[] = [];
  for (let next = parts.next(); !next.done; next = parts.next()) all.push(next.value);
  return all;
}
