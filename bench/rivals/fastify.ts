/** (c) Fastify and `pg`, with the service's prepared statements. */
import createFastify from 'fastify';

import { createOperations, type NewContribution } from './operations';
import { createPool, settings } from './settings';

const base = '/company/integration';
const operations = createOperations(createPool());
// A user_hash may be longer than Fastify's default limit for parameters.
const app = createFastify({ logger: false });

app.get<{ Querystring: { user_hash?: string } }>(`${base}/projects-stories`, (request) =>
  operations.mainComponent(request.query.user_hash),
);
app.get<{ Querystring: { limit: string } }>(`${base}/get/projects`, (request) =>
  operations.projects(Number(request.query.limit)),
);
app.put<{ Body: NewContribution }>(`${base}/contributions/create`, async (request, reply) => {
  const created = await operations.create(request.body);
  return reply.code(201).send(created);
});
app.put<{ Params: { id: string } }>(`${base}/contributions/:id`, (request) =>
  operations.complete(request.params.id),
);

void app.listen({ port: settings.port, host: '127.0.0.1' });
