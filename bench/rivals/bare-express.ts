import express, { type Express } from 'express';

import { createOperations, type NewContribution } from './operations';
import { createPool } from './settings';

const base = '/company/integration';

/** Express and `pg` with the service's prepared statements, and nothing else. */
export function bareExpress(): Express {
  const operations = createOperations(createPool());
  const app = express();
  app.get(`${base}/projects-stories`, async (req, res) => {
    res.json(await operations.mainComponent(req.query['user_hash'] as string | undefined));
  });
  app.get(`${base}/get/projects`, async (req, res) => {
    res.json(await operations.projects(Number(req.query['limit'])));
  });
  app.put(`${base}/contributions/create`, express.json(), async (req, res) => {
    res.status(201).json(await operations.create(req.body as NewContribution));
  });
  app.put(`${base}/contributions/:id`, express.json(), async (req, res) => {
    res.json(await operations.complete(req.params.id));
  });
  return app;
}
