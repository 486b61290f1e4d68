/** (d) Node's own server and `pg`, with the service's prepared statements: the most that one Node process can do. */
import http from 'node:http';

import { createAnswers, type NewContribution } from './answers';
import { createPool, settings } from './settings';

const base = '/company/integration';
const answers = createAnswers(createPool());

async function readJson(req: http.IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  for await (const part of req) parts.push(part as Buffer);
  return JSON.parse(Buffer.concat(parts).toString());
}

async function answer(req: http.IncomingMessage): Promise<[number, object]> {
  const { pathname, searchParams } = new URL(req.url ?? '', 'http://localhost');
  if (req.method === 'GET') {
    if (pathname === `${base}/projects-stories`) {
      return [200, await answers.mainComponent(searchParams.get('user_hash') ?? undefined)];
    }
    return [200, await answers.projects(Number(searchParams.get('limit')))];
  }
  const body = await readJson(req);
  if (pathname === `${base}/contributions/create`)
    return [201, await answers.create(body as NewContribution)];
  return [200, await answers.complete(pathname.slice(`${base}/contributions/`.length))];
}

http
  .createServer((req, res) => {
    answer(req).then(
      ([status, body]) => {
        const text = JSON.stringify(body);
        res.writeHead(status, {
          'Content-Type': 'application/json; charset=utf-8',
          'Content-Length': Buffer.byteLength(text),
        });
        res.end(text);
      },
      () => res.writeHead(500).end(),
    );
  })
  .listen(settings.port, '127.0.0.1');
