/**
 * (d) Node's HTTP server and `pg` with the service's prepared statements, and as little else as
 * possible.
 */
import http from 'node:http';
import { parse } from 'node:querystring';

import { createOperations, type NewContribution } from './operations';
import { createPool, settings } from './settings';

const base = '/company/integration';
const operations = createOperations(createPool());

function readText(req: http.IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    req.on('data', (part: Buffer) => parts.push(part));
    req.on('end', () => {
      resolve(Buffer.concat(parts).toString());
    });
    req.on('error', reject);
  });
}

async function handle(req: http.IncomingMessage): Promise<[number, object]> {
  const url = req.url ?? '';
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  if (req.method === 'GET') {
    const query = parse(mark < 0 ? '' : url.slice(mark + 1));
    if (path === `${base}/projects-stories`) {
      return [200, await operations.mainComponent(query['user_hash'] as string | undefined)];
    }
    return [200, await operations.projects(Number(query['limit']))];
  }
  const body: unknown = JSON.parse(await readText(req));
  if (path === `${base}/contributions/create`) return [201, await operations.create(body as NewContribution)];
  return [200, await operations.complete(path.slice(`${base}/contributions/`.length))];
}

http
  .createServer((req, res) => {
    handle(req).then(
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
