import { StatementFileRefused } from './statement-file-refused';

const request = 'Ask the bank for camt.053 or BAI2, or download the statement as CSV.';

/** Formats that people upload by mistake: how they start, as text and as bytes in latin1. */
const formats: readonly { start: RegExp; message: string }[] = [
  { start: /^%PDF-/, message: `The file is a PDF document. ${request}` },
  {
    start: /^\s*(?:\{1:[^}]*\}|:20:|:940:)/,
    message: 'The file is in the format MT940 or MT942 of SWIFT. Ask the bank for camt.053 instead.',
  },
  {
    start: /^\s*(?:OFXHEADER\s*:|(?:<\?xml[^>]*>\s*)?<\??OFX[\s>])/i,
    message: `The file is in the format OFX, also called QFX and QBO. ${request}`,
  },
  { start: /^\s*!(?:Type|Account|Option):/i, message: `The file is in the format QIF. ${request}` },
  {
    start: /^PK\x03\x04[\s\S]{26}(?:\[Content_Types\]|_rels\/|xl\/|docProps\/)|^\xd0\xcf\x11\xe0/,
    message: 'The file is a workbook of a spreadsheet program. Save it as CSV.',
  },
  { start: /^PK\x03\x04|^\x1f\x8b/, message: 'The file is compressed. Provide it unpacked.' },
  {
    start: /^\s*(?:<!DOCTYPE html|<html[\s>])/i,
    message: `The file is a web page. ${request}`,
  },
];

/**
 * @param start the first bytes of a file
 * @throws StatementFileRefused for a known format that is not read; says what to ask for instead
 */
export function refuseOtherFormat(start: Uint8Array): void {
  const text = Buffer.from(start)
    .toString('latin1')
    .replace(/^\xef\xbb\xbf/, '');
  const found = formats.find((format) => format.start.test(text));
  if (found) throw new StatementFileRefused(found.message);
}
