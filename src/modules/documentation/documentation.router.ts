import { type Request, Router } from 'express';
import helmet from 'helmet';

import { contextOf } from '../../http/request-context';
import type { Documentation } from './documentation';

/** What a page may load: its own stylesheet, script and pictures, and answers of this service. Nothing inline, nothing else. */
const pagePolicy = helmet.contentSecurityPolicy({
  useDefaults: false,
  directives: {
    'default-src': ["'none'"],
    'script-src': ["'self'"],
    'style-src': ["'self'"],
    'img-src': ["'self'"],
    'connect-src': ["'self'"],
    'base-uri': ["'none'"],
    'form-action': ["'none'"],
    'frame-ancestors': ["'none'"],
  },
});

const loopbackAddress = /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/;
const loopbackHost = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/;

/**
 * Whether a request comes from a browser on this very machine: not through a proxy or tunnel that runs here, and not from
 * a page whose name was made to lead here.
 */
function isFromThisMachine(req: Request): boolean {
  return (
    loopbackAddress.test(req.socket.remoteAddress ?? '') &&
    loopbackHost.test(req.get('Host') ?? '') &&
    !['Forwarded', 'X-Forwarded-For', 'X-Forwarded-Host', 'Via'].some((name) => req.get(name) !== undefined)
  );
}

/** The documentation, for people and for programs. It needs no credentials. */
export function documentationRouter({ answers, answersWithDemo }: Documentation): Router {
  const router = Router({ caseSensitive: true, strict: true });
  for (const [path, forEverybody] of answers) {
    const withDemo = answersWithDemo?.get(path);
    router.get(path, pagePolicy, (req, res) => {
      contextOf(res).route = path;
      const { contentType, content, etag, cacheControl } =
        withDemo && isFromThisMachine(req) ? withDemo : forEverybody;
      res.set({ 'Cache-Control': cacheControl, ETag: etag, 'Content-Type': contentType });
      // Express answers 304 by itself when the caller has this very content.
      res.send(content);
    });
  }
  // The links of the pages are relative and would lead astray below /docs/.
  router.get('/docs/', (_req, res) => {
    res.redirect(308, '../docs');
  });
  return router;
}
