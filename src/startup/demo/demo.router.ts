import path from 'node:path';

import { Router } from 'express';

import { readFileIfThere } from '../private-file';

const pictures = path.join(__dirname, '..', '..', '..', 'seeds', 'demo', 'pictures');

/** Serves the pictures of the demo's projects and stories, so that the demo works offline. */
export function demoRouter(): Router {
  const router = Router({ caseSensitive: true });
  router.get('/demo/pictures/:category/:slug.svg', (req, res, next) => {
    const { category, slug } = req.params;
    const isFileName = /^[a-z]{1,20}$/.test(category) && /^[a-z0-9-]{1,80}$/.test(slug);
    const svg = isFileName ? readFileIfThere(path.join(pictures, category, `${slug}.svg`)) : undefined;
    if (svg === undefined) {
      next();
      return;
    }
    res.setHeader('Cache-Control', 'public, max-age=3600');
    // Partner apps embed the pictures from another origin.
    res.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    res.type('svg').send(svg);
  });
  return router;
}
