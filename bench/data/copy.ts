import { finished } from 'node:stream/promises';

import type { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';

import type { Rows } from './rows';

/** Sends rows by COPY. @throws Error from PostgreSQL; then no row was stored */
export async function copyRows(client: Client, { into, lines }: Rows): Promise<void> {
  if (lines.length === 0) return;
  const stream = client.query(copyFrom(`COPY ${into} FROM STDIN`));
  stream.end(`${lines.join('\n')}\n`);
  await finished(stream);
}
