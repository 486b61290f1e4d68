import { isUtf8 } from 'node:buffer';

/** One field of a form, as it was sent. */
export interface FormPart {
  name: string;
  isFile: boolean;
  value: string;
}

const delimiterEnd = /(--)?[ \t]*(\r\n|$)/y;
const headerLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\r\n]*)$/;
const parameter = /[ \t]*;[ \t]*([\w*-]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^ \t;"]+))/y;
const plainEncodings: readonly string[] = ['7bit', '8bit', 'binary'];

/** Removes trailing spaces, tabs and semicolons. A regular expression would take quadratic time. */
function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && ' \t;'.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/**
 * Reads `; name=value` pairs.
 *
 * @returns undefined if the text contains anything else, or a name twice
 */
function parametersOf(text: string): Map<string, string> | undefined {
  const found = new Map<string, string>();
  const trimmed = trimEnd(text);
  parameter.lastIndex = 0;
  for (let at = 0; at < trimmed.length; at = parameter.lastIndex) {
    const [, key = '', quoted, token = ''] = parameter.exec(trimmed) ?? [];
    const name = key.toLowerCase();
    if (name === '' || found.has(name)) return undefined;
    found.set(name, quoted ?? token);
  }
  return found;
}

/**
 * @param text the headers of one part, folded lines included
 * @returns undefined if a line is not a header, or a header occurs twice
 */
function headersOf(text: string): Map<string, string> | undefined {
  const headers = new Map<string, string>();
  for (const line of text.replace(/\r\n[ \t]+/g, ' ').split('\r\n')) {
    const [, name, value = ''] = headerLine.exec(line) ?? [];
    if (name === undefined || headers.has(name.toLowerCase())) return undefined;
    headers.set(name.toLowerCase(), trimEnd(value));
  }
  return headers;
}

/**
 * @param bytes one character for each byte
 * @returns undefined if the bytes are not UTF-8
 */
function utf8(bytes: string): string | undefined {
  const buffer = Buffer.from(bytes, 'latin1');
  return isUtf8(buffer) ? buffer.toString('utf8') : undefined;
}

/** @returns undefined if the headers do not describe exactly one form field */
function readPart(head: string, content: string): FormPart | undefined {
  const headers = headersOf(head);
  const disposition = headers?.get('content-disposition') ?? '';
  if (!headers || !/^form-data[ \t]*(;|$)/i.test(disposition)) return undefined;
  if (!plainEncodings.includes((headers.get('content-transfer-encoding') ?? '8bit').toLowerCase())) {
    return undefined;
  }
  const parameters = parametersOf(disposition.slice('form-data'.length));
  if (!parameters || parameters.has('name*')) return undefined;
  const isFile = parameters.has('filename') || parameters.has('filename*');
  const name = utf8(parameters.get('name') ?? '');
  const value = isFile ? '' : utf8(content);
  return name === undefined || name === '' || value === undefined ? undefined : { name, isFile, value };
}

/** The headers and the content of a part, one character for each byte. */
interface RawPart {
  head: string;
  content: string;
}

/** @returns undefined if the body is not multipart with this boundary */
function rawPartsOf(body: Buffer, contentType: string): RawPart[] | undefined {
  const semicolon = contentType.indexOf(';');
  const boundary = semicolon < 0 ? undefined : parametersOf(contentType.slice(semicolon))?.get('boundary');
  if (boundary === undefined || boundary === '' || boundary.length > 70) return undefined;
  const delimiter = `\r\n--${boundary}`;
  // latin1 keeps every byte as one character. Names and values are decoded as UTF-8 later.
  const text = `\r\n${body.toString('latin1')}`;
  const parts: RawPart[] = [];
  for (let start = text.indexOf(delimiter); start >= 0;) {
    delimiterEnd.lastIndex = start + delimiter.length;
    const line = delimiterEnd.exec(text);
    if (!line) return undefined;
    if (line[1] !== undefined) return parts;
    const head = delimiterEnd.lastIndex;
    // The next delimiter may start with the line break of this one. The part then has no headers.
    const next = text.indexOf(delimiter, head - 2);
    const headEnd = text.indexOf('\r\n\r\n', head);
    if (headEnd < 0 || next < headEnd + 4) return undefined;
    parts.push({ head: text.slice(head, headEnd), content: text.slice(headEnd + 4, next) });
    start = next;
  }
  return undefined;
}

/**
 * Reads multipart/form-data (RFC 7578, RFC 2046 5.1). Rejects everything that two parsers could
 * read differently. Decision record 18 explains why this is not a library.
 *
 * @returns undefined if the body is not such a form
 */
export function readForm(body: Buffer, contentType: string): FormPart[] | undefined {
  const parts = rawPartsOf(body, contentType)?.map(({ head, content }) => readPart(head, content));
  return parts?.every((part) => part !== undefined) ? parts : undefined;
}

/** @returns the bytes of the form's only part; undefined unless it is a file with this name */
export function readFormFile(body: Buffer, contentType: string, name: string): Buffer | undefined {
  const [part, ...others] = rawPartsOf(body, contentType) ?? [];
  const read = part && readPart(part.head, '');
  if (!part || !read?.isFile || read.name !== name || others.length > 0) return undefined;
  return Buffer.from(part.content, 'latin1');
}
