import type { Request } from 'express';

import type { RequestContext } from '../request/request-context';
import { asCsv, type CsvForm, csvHeaders, csvMediaType } from './csv';
import { sendJson } from './send-json';

/**
 * Notes that the response to a list depends on the client's preference.
 *
 * @returns whether the client names CSV and prefers it; all others get JSON, whatever they accept
 */
export function negotiateCsv({ req, headers }: RequestContext): boolean {
  headers['Vary'] = 'Accept, Accept-Encoding';
  const { accept = '' } = req.headers;
  if (!/text\/csv/i.test(accept)) return false;
  // A client may name the full type of the response: UTF-8 with a header row.
  const plain = accept.replace(/(text\/csv)((?:\s*;\s*(?:charset="?utf-8"?|header="?present"?))+)/gi, '$1');
  const simplified = Object.create(req, { headers: { value: { ...req.headers, accept: plain } } }) as Request;
  return simplified.accepts(['application/json', csvMediaType]) === csvMediaType;
}

export async function sendCsv(context: RequestContext, form: CsvForm, body: unknown): Promise<void> {
  Object.assign(context.headers, csvHeaders(body));
  const bytes = Buffer.from(asCsv(form, body));
  await sendJson(context, 200, { bytes, digest: undefined }, `${csvMediaType}; charset=utf-8`);
}
