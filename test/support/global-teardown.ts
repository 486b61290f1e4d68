import { rmSync } from 'node:fs';

export default async function tearDown(): Promise<void> {
  const running = globalThis.testPostgres;
  if (!running) return;
  await running.server.stop();
  rmSync(running.dataDirectory, { recursive: true, force: true });
  // In watch mode, the next run in this process starts a server of its own.
  globalThis.testPostgres = undefined;
  delete process.env['TEST_POSTGRES_URL'];
}
