import { Router } from 'express';

import { drawDemoPicture } from './pictures/draw-demo-picture';

/** The demo's pictures, drawn by the service itself, so that the demo shows without internet. */
export function demoRouter(): Router {
  const router = Router({ caseSensitive: true });
  router.get('/demo/pictures/:category/:slug.svg', (req, res, next) => {
    const { category, slug } = req.params;
    if (!/^[a-z0-9-]{1,80}$/.test(slug) || !/^[a-z]{1,20}$/.test(category)) {
      next();
      return;
    }
    res.setHeader('Cache-Control', 'public, max-age=3600');
    // An app shows the picture from its own address.
    res.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    res.type('svg').send(drawDemoPicture(slug, category));
  });
  return router;
}
