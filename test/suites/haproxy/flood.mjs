// Sends requests over TLS from one address as fast as responses arrive: node flood.mjs
// '{"port":…,"localAddress":…}'. Exits when its standard input ends. It is a separate process, so
// that the flood does not slow down the measured clients.
import tls from 'node:tls';

const { port, localAddress, connections, depth, head, body = '', pause = 0 } = JSON.parse(process.argv[2]);
const request = `${head}\r\n\r\n${body}`;
const statuses = {};
let ofProxy = 0;
let opened = 0;
let refused = 0;

function open() {
  const socket = tls.connect({
    host: '127.0.0.1',
    port,
    localAddress,
    rejectUnauthorized: false,
    servername: 'localhost',
  });
  opened += 1;
  let rest = '';
  socket.on('secureConnect', () => socket.write(request.repeat(depth)));
  socket.on('data', (data) => {
    const text = rest + data.toString('latin1');
    ofProxy += text.split('about:blank').length - 1;
    const found = [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)];
    const last = found.at(-1);
    rest = last ? text.slice(last.index + last[0].length).slice(-12) : text.slice(-12);
    for (const [, status] of found) statuses[status] = (statuses[status] ?? 0) + 1;
    if (found.length > 0 && socket.writable) socket.write(request.repeat(found.length));
  });
  socket.on('error', () => {
    refused += 1;
  });
  socket.on('close', () => setTimeout(open, pause));
}

for (let count = 0; count < connections; count += 1) open();
process.stdin.resume().on('end', () => {
  process.stdout.write(JSON.stringify({ statuses, ofProxy, opened, refused }), () => process.exit(0));
});
