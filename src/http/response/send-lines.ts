import type { ServerResponse } from 'node:http';

import type { Lines } from '../endpoint';
import { endUnread } from '../request/client-presence';
import type { RequestContext } from '../request/request-context';
import { sendResponse, writeHead } from './response';

export const linesMediaType = 'application/x-ndjson';

/**
 * Streams NDJSON. The status is sent with the first part, so an error before it becomes an error
 * response. An error after it cuts the response off. If the client leaves or does not read, no
 * further part is requested.
 *
 * @throws what `lines` throws
 */
export async function sendLines(context: RequestContext, status: number, lines: Lines): Promise<void> {
  const first = await lines.next();
  const { res, headers, interfere } = context;
  headers['Content-Type'] = linesMediaType;
  if (interfere) {
    let body = first.done ? '' : first.value;
    for await (const part of lines) body += part;
    sendResponse(context, status, body);
    return;
  }
  writeHead(context, status);
  let isComplete = false;
  try {
    for (let next = first; !next.done && !res.destroyed; next = await lines.next()) {
      if (!res.write(next.value)) await drained(res);
    }
    isComplete = !res.destroyed;
  } finally {
    await lines.return();
    if (isComplete) res.end();
    else endUnread(res, () => res.end());
  }
}

/** A client that reads nothing for this time loses the connection. */
const longestUnreadMs = 30_000;

function drained(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => res.destroy(), longestUnreadMs);
    const finish = (): void => {
      clearTimeout(timer);
      res.off('drain', finish).off('close', finish);
      resolve();
    };
    res.once('drain', finish).once('close', finish);
    if (res.destroyed) finish();
  });
}
