/** Express without a database: a handler that sends a fixed body. */
import express from 'express';

import { settings } from './settings';

const app = express();
for (const [path, body] of Object.entries(settings.fixedBodies)) {
  app.get(path, (_req, res) => {
    res.type('json').send(body);
  });
}
app.listen(settings.port, '127.0.0.1');
