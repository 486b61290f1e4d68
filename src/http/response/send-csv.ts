import type { Request, Response } from 'express';

import { contextOf } from '../request/request-context';
import { csvHeaders, csvMediaType, listAsCsv, type ListBody } from './csv';
import { sendJson } from './send-json';

/**
 * @param headers of the response to a list; the client's preference changes it
 * @returns whether the client names CSV and prefers it; all others get JSON, whatever they accept
 */
export function negotiateCsv(req: Request, headers: Record<string, string>): boolean {
  headers['Vary'] = 'Accept, Accept-Encoding';
  const { accept = '' } = req.headers;
  if (!/text\/csv/i.test(accept)) return false;
  // A client may name the full type of the response: UTF-8 with a header row.
  const plain = accept.replace(/(text\/csv)((?:\s*;\s*(?:charset="?utf-8"?|header="?present"?))+)/gi, '$1');
  const simplified = Object.create(req, { headers: { value: { ...req.headers, accept: plain } } }) as Request;
  return simplified.accepts(['application/json', csvMediaType]) === csvMediaType;
}

export async function sendCsv(
  req: Request,
  res: Response,
  columns: readonly string[],
  body: ListBody,
): Promise<void> {
  Object.assign(contextOf(res).headers, csvHeaders(body));
  const bytes = Buffer.from(listAsCsv(columns, body));
  await sendJson(req, res, 200, { bytes, digest: undefined }, `${csvMediaType}; charset=utf-8`);
}
