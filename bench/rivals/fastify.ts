/** (c) Fastify and `pg`, with the service's prepared statements. */
import createFastify from 'fastify';

import { createAnswers, type NewContribution } from './answers';
import { createPool, settings } from './settings';

const base = '/company/integration';
const answers = createAnswers(createPool());
// A user_hash may be longer than Fastify's default limit for parameters.
const app = createFastify({ logger: false });

app.get<{ Querystring: { user_hash?: string } }>(`${base}/projects-stories`, (request) =>
  answers.mainComponent(request.query.user_hash),
);
app.get<{ Querystring: { limit: string } }>(`${base}/get/projects`, (request) =>
  answers.projects(Number(request.query.limit)),
);
app.put<{ Body: NewContribution }>(`${base}/contributions/create`, async (request, reply) => {
  const answer = await answers.create(request.body);
  return reply.code(201).send(answer);
});
app.put<{ Params: { id: string } }>(`${base}/contributions/:id`, (request) =>
  answers.complete(request.params.id),
);

void app.listen({ port: settings.port, host: '127.0.0.1' });
