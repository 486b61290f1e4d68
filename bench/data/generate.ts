import { Client } from 'pg';

import { sessionConfig } from '../../src/db/session-settings';
import { interruption } from '../interruption';
import { addExtremeViews, addFigures, addProjects } from './catalogue';
import { chunksOf } from './chunks';
import { addCompanies } from './companies';
import { copyRows } from './copy';
import { describeRules, takeRulesAway } from './schema';
import { type Size, sizeOf } from './size';

export interface GenerateOptions {
  /** A migrated, empty database, as the role that owns its schema. */
  ownerUrl: string;
  scale: number;
  seed: number;
  /** Number of concurrent statements: the database's CPUs. */
  connections: number;
  /** @param done from 0 to 1 */
  onProgress: (done: number, what: string) => void;
}

interface Work {
  what: string;
  /** Share of the total time. */
  share: number;
  run: (client: Client) => Promise<unknown>;
}

const filledTables = ['stories', 'users', 'transactions', 'events', 'supports', 'story_views'];

/**
 * Share of the total time that inserting rows takes. Indexes, foreign keys and statistics take the
 * rest.
 */
const shareOfRows = 0.6;

/**
 * Fills a database by COPY. The same scale and seed give the same rows. Foreign keys and secondary
 * indexes are dropped before and created again afterwards.
 *
 * @throws Error if the schema then differs from the original schema
 */
export async function generate(options: GenerateOptions): Promise<Size> {
  const size = sizeOf(options.scale);
  const clients = await Promise.all(Array.from({ length: options.connections }, () => connect(options)));
  const [client] = clients;
  if (!client) throw new Error('at least one connection is needed');
  try {
    const rulesBefore = await describeRules(client);
    await addCompanies(client, size);
    await addProjects(client, size);
    const bringBack = await takeRulesAway(client, filledTables);
    await fill(clients, client, size, bringBack, options);
    if ((await describeRules(client)) !== rulesBefore) {
      throw new Error('constraints, indexes or triggers differ from those of the migrations');
    }
    return size;
  } finally {
    await Promise.all(clients.map((one) => one.end()));
  }
}

async function connect({ ownerUrl }: GenerateOptions): Promise<Client> {
  const client = new Client(sessionConfig({ connectionString: ownerUrl, application_name: 'bench:data' }));
  await client.connect();
  await client.query(
    `SET synchronous_commit = off; SET jit = off; SET lock_timeout = 0; SET maintenance_work_mem = '512MB';
     SET work_mem = '256MB'; SET TimeZone = 'UTC'`,
  );
  return client;
}

/** @param bringBack the statements that create the dropped indexes and foreign keys again */
async function fill(
  clients: readonly Client[],
  client: Client,
  size: Size,
  bringBack: readonly string[],
  { seed, onProgress }: GenerateOptions,
): Promise<void> {
  const chunks = chunksOf(size, seed);
  const rows = chunks.reduce((sum, chunk) => sum + chunk.rows, 0);
  const copies = chunks.map((chunk): Work => ({
    what: chunk.what,
    share: (chunk.rows / rows) * shareOfRows,
    async run(one) {
      for (const part of chunk.make()) await copyRows(one, part);
    },
  }));
  await inParallel(clients, copies, 0, onProgress);
  await addExtremeViews(client, size);

  const rest = (1 - shareOfRows) / (bringBack.length + filledTables.length + 1);
  const statement = (text: string, what: string): Work => ({
    what,
    share: rest,
    run: (one) => one.query(text),
  });
  const rules = bringBack.map((text) => statement(text, 'indexes and foreign keys'));
  await inParallel(clients, rules, shareOfRows, onProgress);
  onProgress(shareOfRows + rest * bringBack.length, 'figures of the projects');
  await addFigures(client);
  await client.query(
    `SELECT setval(pg_get_serial_sequence('users', 'user_id'), ${size.users}),
            setval(pg_get_serial_sequence('stories', 'story_id'), ${size.stories}),
            setval(pg_get_serial_sequence('projects', 'project_id'), ${size.projects}),
            setval(pg_get_serial_sequence('environments', 'environment_id'), ${2 * size.companies})`,
  );
  const tables = [...filledTables, 'projects, project_figures, companies, environments, key_pairs'];
  const vacuums = tables.map((table) => statement(`VACUUM (ANALYZE) ${table}`, 'statistics'));
  await inParallel(clients, vacuums, 1 - rest * filledTables.length, onProgress);
}

/** Runs the tasks on all connections. Each connection takes the next task when it is done. */
async function inParallel(
  clients: readonly Client[],
  works: readonly Work[],
  from: number,
  onProgress: GenerateOptions['onProgress'],
): Promise<void> {
  const waiting = [...works];
  let done = from;
  await Promise.all(
    clients.map(async (one) => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        interruption.throwIfAborted();
        onProgress(done, next.what);
        await next.run(one);
        done += next.share;
      }
    }),
  );
}
