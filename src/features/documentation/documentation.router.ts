import { type Request, type RequestHandler, Router } from 'express';
import helmet from 'helmet';

import { contextOf } from '../../http/request/request-context';
import type { Documentation, StaticResponse } from './documentation';
import { guess } from './guesses';
import type { Site } from './layout';
import { linksFromPath } from './links';
import { renderNotFound } from './not-found';

/**
 * A page may load its own stylesheets, scripts, fonts and pictures, and call this service. Inline
 * code is blocked.
 */
const pagePolicy = helmet.contentSecurityPolicy({
  useDefaults: false,
  directives: {
    'default-src': ["'none'"],
    'script-src': ["'self'"],
    'style-src': ["'self'"],
    'font-src': ["'self'"],
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
 * Whether a browser on this machine sent the request directly: not through a proxy or tunnel, and
 * not by DNS rebinding.
 */
function isFromThisMachine(req: Request): boolean {
  return (
    loopbackAddress.test(req.socket.remoteAddress ?? '') &&
    loopbackHost.test(req.get('Host') ?? '') &&
    !['Forwarded', 'X-Forwarded-For', 'X-Forwarded-Host', 'Via'].some((name) => req.get(name) !== undefined)
  );
}

/** Whether this path is reserved for the pages and their files. */
const isBelowDocumentation = (path: string): boolean =>
  path === '/openapi.json' || path === '/favicon.ico' || path === '/docs' || path.startsWith('/docs/');

function documentationRouter(documentation: Documentation): Router {
  const router = Router({ caseSensitive: true, strict: true });
  let pages: Router | undefined;
  router.use((req, res, next) => {
    if (isBelowDocumentation(req.path)) {
      pages ??= pagesRouter(documentation);
      pages(req, res, next);
    } else {
      next();
    }
  });
  // Handle only GET and HEAD. A route would respond to OPTIONS on every path.
  router.use((req, res, next) => {
    const target = req.method === 'GET' || req.method === 'HEAD' ? guess(req.path) : undefined;
    if (target === undefined) {
      next();
      return;
    }
    // A relative location works behind a proxy that adds a prefix. It depends only on the number of
    // segments in the path, never on their text.
    const links = linksFromPath(req.path);
    res.redirect(302, target === 'openapi.json' ? links.openApi : links.page(target));
  });
  return router;
}

function pagesRouter(documentation: Documentation): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const { responsesWithDemo } = documentation;
  for (const path of (responsesWithDemo ?? documentation.responses).keys()) {
    router.get(path, pagePolicy, (req, res) => {
      contextOf(res).route = path;
      const responses = (isFromThisMachine(req) && responsesWithDemo) || documentation.responses;
      const { contentType, content, etag, cacheControl } = responses.get(path) as StaticResponse;
      res.set({ 'Cache-Control': cacheControl, ETag: etag, 'Content-Type': contentType });
      // Express sends 304 if the ETag matches.
      res.send(content);
    });
  }
  // Relative links would break below /docs/.
  router.get('/docs/', (_req, res) => {
    res.redirect(308, '../docs');
  });
  return router;
}

/**
 * Sends browsers an HTML page for an unknown path. Clients that do not prefer HTML get the problem
 * document.
 */
function pageNotFound(site: Site): RequestHandler {
  return (req, res, next) => {
    res.vary('Accept');
    const isBrowser =
      (req.method === 'GET' || req.method === 'HEAD') &&
      req.accepts(['application/problem+json', 'application/json', 'text/html']) === 'text/html';
    if (!isBrowser) {
      next();
      return;
    }
    pagePolicy(req, res, () => {
      contextOf(res).errorCode = 'path_not_found';
      res.status(404).set({ 'Cache-Control': 'no-store', 'Content-Type': 'text/html; charset=utf-8' });
      res.send(renderNotFound(req.path, site));
    });
  };
}

/** The handlers of the documentation, in one. It requires no credentials. */
export const documentationHandler = (documentation: Documentation, site: Site): RequestHandler =>
  Router({ caseSensitive: true, strict: true })
    .use(documentationRouter(documentation))
    .use(pageNotFound(site));
