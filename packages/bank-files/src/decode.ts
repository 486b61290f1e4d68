import { StatementFileRefused } from './statement-file-refused';

const declaration = /^<\?xml\s[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]+)["']/;
/** The encodings that XML may declare, with their names for `TextDecoder`. */
const encodings: Readonly<Record<string, string>> = {
  'utf-8': 'utf-8',
  'us-ascii': 'utf-8',
  ascii: 'utf-8',
  'iso-8859-1': 'windows-1252',
  'iso-8859-15': 'iso-8859-15',
  'windows-1252': 'windows-1252',
  // A declaration that can be read as ASCII is not in UTF-16. Some programs convert only the text.
  'utf-16': 'utf-8',
};

/** The number of bytes that show the encoding of a file. */
export const startLength = 256;

/** The encoding that a byte order mark or the zero byte of the first character shows. */
function unicodeOf([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return 'utf-16le';
  return (first === 0xfe && second === 0xff) || (first === 0 && second !== 0) ? 'utf-16be' : undefined;
}

const textOf = (bytes: Uint8Array, encoding: string): string => new TextDecoder(encoding).decode(bytes);

/** Whether a file that starts with these bytes is XML. */
export function isXml(start: Uint8Array): boolean {
  return textOf(start, unicodeOf(start) ?? 'windows-1252')
    .trimStart()
    .startsWith('<');
}

/** @throws StatementFileRefused for an encoding that is not supported */
function xmlEncodingOf(start: Uint8Array): string {
  const unicode = unicodeOf(start);
  if (unicode !== undefined) return unicode;
  const declared = (declaration.exec(textOf(start, 'windows-1252'))?.[1] ?? 'utf-8').toLowerCase();
  const encoding = encodings[declared];
  if (encoding !== undefined) return encoding;
  throw new StatementFileRefused(
    `The file declares the encoding ${declared}. UTF-8, UTF-16, US-ASCII, ISO-8859-1, ISO-8859-15 and windows-1252 are supported.`,
  );
}

/**
 * Decodes XML in chunks, without replacing any byte. XML declares its encoding.
 *
 * @param start the first bytes, at least `startLength` if the file has them
 */
export function openXmlDecoder(start: Uint8Array): {
  write: (bytes: Uint8Array) => string;
  end: () => string;
} {
  const encoding = xmlEncodingOf(start);
  const decoder = new TextDecoder(encoding, { fatal: true });
  const decode = (bytes: Uint8Array | undefined): string => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      throw new StatementFileRefused(`The file is not encoded in ${encoding}.`);
    }
  };
  return { write: decode, end: () => decode(undefined) };
}

/**
 * Decodes a file that declares no encoding, without replacing any byte: as UTF-16, as UTF-8, or as
 * windows-1252 if it is not valid UTF-8.
 */
export function decodePlainText(bytes: Uint8Array): string {
  const unicode = unicodeOf(bytes);
  for (const encoding of [unicode ?? 'utf-8', 'windows-1252']) {
    try {
      const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
      if (!text.includes('\0')) return text;
      break;
    } catch {
      // Try the next encoding.
    }
  }
  throw new StatementFileRefused('The file contains NUL bytes, so it is no text. Provide it unpacked.');
}
