/** Express without a database: a handler that sends a fixed body. */
import express from 'express';

import { settings } from './settings';

const app = express();
// The least that an Express handler can do with a body: it is not hashed for an ETag.
app.disable('etag');
for (const [path, body] of Object.entries(settings.fixedBodies)) {
  app.get(path, (_req, res) => {
    res.type('json').send(body);
  });
}
app.listen(settings.port, '127.0.0.1');
