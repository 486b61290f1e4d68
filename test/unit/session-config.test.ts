import { Client } from 'pg';

import { sessionConfig } from '../../src/db/session-settings';

/** The parameters with which pg connects. */
function parametersOf(connectionString: string): Record<string, unknown> {
  const client = new Client(sessionConfig({ connectionString }));
  const { password, database, ssl, options } = (
    client as unknown as { connectionParameters: Record<string, unknown> }
  ).connectionParameters;
  return { password, database, ssl, options };
}

test('an address that is no valid URL keeps its password', () => {
  const { password, database, options } = parametersOf('postgres://me:p%ss word@db.example/contributions');
  expect({ password, database }).toEqual({ password: 'p%ss word', database: 'contributions' });
  expect(options).toMatch(/^-c DateStyle=ISO,\\ MDY -c /);
});

test('the settings follow the options of the address, whose other parameters stay', () => {
  const address = 'postgres://me:x@db.example/contributions?options=-c%20search_path%3Dother&sslmode=disable';
  const { ssl, options } = parametersOf(address);
  expect(ssl).toBe(false);
  expect(options).toMatch(/^-c search_path=other -c DateStyle=.* -c search_path=public /);
});
