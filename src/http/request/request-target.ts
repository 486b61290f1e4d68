import type { IncomingMessage } from 'node:http';

/**
 * Makes of a target in absolute form (RFC 9112, 3.2.2) the path and query in it, before anybody
 * else reads it: Express answers an authority that is none by itself, and with a page. The
 * authority means nothing here.
 */
export function takeOriginForm(req: IncomingMessage): void {
  req.url = req.url?.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*\/?/i, '/');
}
