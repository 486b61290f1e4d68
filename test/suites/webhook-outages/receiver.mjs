// A partner's receiver: it verifies a webhook, stores it, and responds. The suite kills it at any
// moment and starts it again, so it stores each webhook in a file before it responds.
//
// Arguments: a JSON object with port, certificateFile, privateKeyFile, journal, and secrets by
// environment_id. Its parent process tells it how to respond.
import { appendFileSync, readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';

import { Webhook } from 'standardwebhooks';

const { port, certificateFile, privateKeyFile, journal, secrets } = JSON.parse(process.argv[2]);
const note = (line) => appendFileSync(journal, `${JSON.stringify(line)}\n`);
const verifiers = new Map(Object.entries(secrets).map(([id, secret]) => [id, new Webhook(secret)]));
let manner = 'correct';

const respondWith =
  (status, headers = {}) =>
  (response) =>
    response.writeHead(status, headers).end('no');

/** Responses that are no success. */
const wrongResponses = [
  respondWith(500),
  respondWith(503, { 'Retry-After': '2' }),
  respondWith(503, { 'Retry-After': '999999' }),
  respondWith(400),
  respondWith(401),
  respondWith(404),
  respondWith(429, { 'Retry-After': 'soon' }),
  respondWith(301, { Location: '/elsewhere' }),
  respondWith(307, { Location: '/elsewhere' }),
  (response) => response.socket.end('This is not HTTP.\r\n\r\n'),
  (response) => response.socket.end('HTTP/1.1 2000 OK\r\n\r\n'),
  (response) => response.socket.end(),
];

function store(environmentId, headers, body) {
  const verifier = verifiers.get(environmentId);
  if (!verifier) {
    note({ problem: `a webhook at the path /${environmentId}` });
    return;
  }
  try {
    verifier.verify(body, headers);
  } catch (error) {
    note({ problem: `environment ${environmentId}: ${error.message}` });
    return;
  }
  note({ environmentId: Number(environmentId), id: headers['webhook-id'], body });
}

async function respond(environmentId, headers, body, response) {
  if (manner === 'slow') await delay(200 + 4_000 * Math.random());
  if (manner === 'gone') {
    respondWith(410)(response);
    return;
  }
  if (manner === 'wrong') {
    // A receiver that fails after it stored the webhook gets it again.
    if (Math.random() < 0.5) store(environmentId, headers, body);
    wrongResponses[Math.floor(wrongResponses.length * Math.random())](response);
    return;
  }
  store(environmentId, headers, body);
  response.writeHead(204).end();
}

const server = createServer(
  { cert: readFileSync(certificateFile), key: readFileSync(privateKeyFile) },
  (request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (part) => (body += part));
    request.on('end', () => void respond(request.url.slice(1), request.headers, body, response));
    request.on('error', () => undefined);
  },
);
server.on('tlsClientError', () => undefined);
process.on('message', (next) => {
  manner = next;
});
server.listen(port, '127.0.0.1', () => process.send('listening'));
