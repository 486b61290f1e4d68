import setUp from '../../support/global-setup';
import { type PgBouncer, startPgBouncer } from './pgbouncer';

declare global {
  var testPgBouncer: PgBouncer | undefined;
}

/**
 * The server of every test run, with a PgBouncer between it and the services under test
 * (`support/pooler.ts`).
 */
export default async function setUpWithPgBouncer(): Promise<void> {
  await setUp();
  const pgBouncer = await startPgBouncer(process.env['TEST_POSTGRES_URL'] ?? '', {
    owner: process.env['TEST_OWNER_PASSWORD'] ?? '',
    service: process.env['TEST_SERVICE_PASSWORD'] ?? '',
  });
  globalThis.testPgBouncer = pgBouncer;
  process.env['TEST_POOLER_PORT'] = String(pgBouncer.port);
}
