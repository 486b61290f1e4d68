import type { IncomingMessage } from 'node:http';

/**
 * Reduces a request target in absolute form (RFC 9112, 3.2.2) to its path and query. The service
 * ignores the authority, but Express would respond to an invalid one with an HTML page.
 */
export function takeOriginForm(req: IncomingMessage): void {
  req.url = req.url?.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*\/?/i, '/');
}
