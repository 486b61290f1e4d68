import type { IncomingMessage } from 'node:http';

/**
 * All values of a header, as they were sent. Node's `headers` joins them or keeps only the first.
 *
 * @param name in lower case
 */
export function headerValues({ rawHeaders }: IncomingMessage, name: string): string[] {
  const values: string[] = [];
  for (let place = 0; place < rawHeaders.length; place += 2) {
    const found = rawHeaders[place] ?? '';
    if (found.length === name.length && found.toLowerCase() === name)
      values.push(rawHeaders[place + 1] ?? '');
  }
  return values;
}
