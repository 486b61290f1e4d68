import { Router } from 'express';

import { renderErrorPage } from './error-page';

/** Pages for people. They need no credentials. */
export function documentationRouter(): Router {
  const router = Router({ caseSensitive: true });
  const errorPage = renderErrorPage();
  router.get('/docs/errors', (_req, res) => {
    res.setHeader('Cache-Control', 'public, max-age=300');
    res.type('html').send(errorPage);
  });
  return router;
}
