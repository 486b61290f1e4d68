import pino from 'pino';

import { readSettings } from '../../src/read-settings';
import { checkDatabase } from '../../src/startup/check-database';

test('a log line about an unreachable database has the variables of libpq that apply', async () => {
  const lines: object[] = [];
  const logger = pino({}, { write: (line: string) => lines.push(JSON.parse(line) as object) });
  const url = 'postgres://nobody:x@127.0.0.1:1/none';
  const config = readSettings({ DATABASE_URL: url, ALLOW_PLAIN_HTTP: 'on' });
  await checkDatabase(config, url, logger);
  process.env['PGSSLMODE'] = 'require';
  process.env['PGOPTIONS'] = '-c nothing=1';
  try {
    await checkDatabase(config, url, logger);
  } finally {
    delete process.env['PGSSLMODE'];
    delete process.env['PGOPTIONS'];
  }
  const unreachable = {
    msg: 'the database does not respond yet',
    reason: 'connect ECONNREFUSED 127.0.0.1:1',
  };
  expect(lines).toEqual([
    expect.objectContaining(unreachable),
    expect.objectContaining({ ...unreachable, pg_variables: ['PGOPTIONS', 'PGSSLMODE'] }),
  ]);
  expect(lines[0]).not.toHaveProperty('pg_variables');
});
