import { isUtf8 } from 'node:buffer';

/** One field of a form, as it was sent. */
export interface FormPart {
  name: string;
  isFile: boolean;
  value: string;
}

const delimiterEnd = /^(--)?[ \t]*(\r\n|$)/;
const disposition = /^content-disposition:[ \t]*form-data[ \t]*(;.*)?$/im;
const parameter = /;[ \t]*([\w*-]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/g;

function parametersOf(text: string): Map<string, string> {
  const found = [...text.matchAll(parameter)];
  return new Map(found.map(([, name = '', quoted, token = '']) => [name.toLowerCase(), quoted ?? token]));
}

/** @returns undefined when the bytes (one to a character) are not UTF-8 */
function utf8(bytes: string): string | undefined {
  const buffer = Buffer.from(bytes, 'latin1');
  return isUtf8(buffer) ? buffer.toString('utf8') : undefined;
}

/**
 * Reads multipart/form-data (RFC 7578, RFC 2046 5.1) as libraries really write it: the platform's own parser refuses
 * a name without quotation marks, which .NET sends, and puts U+FFFD where the text is not UTF-8.
 *
 * @returns undefined when the body is not such a form
 */
export function readForm(body: Buffer, contentType: string): FormPart[] | undefined {
  const boundary = parametersOf(contentType.slice(contentType.indexOf(';'))).get('boundary');
  if (boundary === undefined || boundary.length > 70) return undefined;
  const delimiter = `\r\n--${boundary}`;
  // In latin1 one byte is one character, so nothing is lost before each text is decoded.
  const text = `\r\n${body.toString('latin1')}`;
  const parts: FormPart[] = [];
  for (let start = text.indexOf(delimiter); start >= 0;) {
    const line = delimiterEnd.exec(text.slice(start + delimiter.length));
    if (!line) return undefined;
    if (line[1] !== undefined) return parts;
    const head = start + delimiter.length + line[0].length;
    const headEnd = text.indexOf('\r\n\r\n', head);
    const next = text.indexOf(delimiter, headEnd);
    if (headEnd < 0 || next < 0) return undefined;
    const parameters = parametersOf(disposition.exec(text.slice(head, headEnd))?.[1] ?? '');
    const isFile = parameters.has('filename') || parameters.has('filename*');
    const name = utf8(parameters.get('name') ?? '');
    const value = isFile ? '' : utf8(text.slice(headEnd + 4, next));
    if (name === undefined || name === '' || value === undefined) return undefined;
    parts.push({ name, isFile, value });
    start = next;
  }
  return undefined;
}
