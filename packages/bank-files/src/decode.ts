import { fileLimits } from './file-limits';
import { StatementFileRefused } from './statement-file-refused';

const declaration = /^<\?xml\s[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]+)["']/;
const encodings: Readonly<Record<string, string>> = {
  'utf-8': 'utf-8',
  'us-ascii': 'utf-8',
  ascii: 'utf-8',
  'iso-8859-1': 'windows-1252',
  'windows-1252': 'windows-1252',
};

function decodeAs(bytes: Uint8Array, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Decodes a file without replacing any byte. XML declares its encoding. Other files are decoded as
 * UTF-8, or as windows-1252 if they are not valid UTF-8.
 */
export function decodeStatementFile(bytes: Uint8Array): string {
  if (bytes.length > fileLimits.bytes) {
    throw new StatementFileRefused(`The file has more than ${fileLimits.bytes / 1024 / 1024} MiB.`);
  }
  if (bytes.includes(0)) {
    throw new StatementFileRefused(
      'The file contains NUL bytes. It may be compressed or encoded in UTF-16. Provide it unpacked, in UTF-8.',
    );
  }
  const start = Buffer.from(bytes.subarray(0, 256))
    .toString('latin1')
    .replace(/^\u00ef\u00bb\u00bf/, '');
  if (!start.trimStart().startsWith('<')) {
    return decodeAs(bytes, 'utf-8') ?? decodeAs(bytes, 'windows-1252') ?? '';
  }
  const declared = (declaration.exec(start)?.[1] ?? 'utf-8').toLowerCase();
  const encoding = encodings[declared];
  if (encoding === undefined) {
    throw new StatementFileRefused(
      `The file declares the encoding ${declared}. UTF-8, US-ASCII, ISO-8859-1 and windows-1252 are supported.`,
    );
  }
  const text = decodeAs(bytes, encoding);
  if (text === undefined) throw new StatementFileRefused(`The file is not encoded in ${declared}.`);
  return text;
}
