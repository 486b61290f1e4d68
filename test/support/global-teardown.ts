import { rmSync } from 'node:fs';

export default async function tearDown(): Promise<void> {
  const running = globalThis.testPostgres;
  if (!running) return;
  await running.server.stop();
  rmSync(running.dataDirectory, { recursive: true, force: true });
}
