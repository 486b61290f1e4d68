import type { IncomingMessage } from 'node:http';

import type { z } from 'zod';

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

/** The headers that a contract names. A repeated header becomes an array, as in a query. */
export function headersOf(
  req: IncomingMessage,
  { shape }: z.ZodObject,
): Record<string, string | string[] | undefined> {
  const headers: Record<string, string | string[] | undefined> = {};
  for (const name of Object.keys(shape)) {
    const values = headerValues(req, name);
    headers[name] = values.length > 1 ? values : values[0];
  }
  return headers;
}
