/**
 * The shipped service as several processes behind one port. The primary process of a Node cluster
 * distributes connections, and the service is unaware of it.
 */
import cluster from 'node:cluster';
import path from 'node:path';

const root = path.join(__dirname, '..', '..', '..');
cluster.setupPrimary({ exec: path.join(root, 'dist', 'src', 'server.js') });
for (let count = 0; count < Number(process.env['BENCH_PROCESSES'] ?? 1); count += 1) cluster.fork();
process.on('SIGTERM', () => {
  for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGTERM');
  cluster.on('exit', () => {
    if (Object.keys(cluster.workers ?? {}).length === 0) process.exit(0);
  });
});
