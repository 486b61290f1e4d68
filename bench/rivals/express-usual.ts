/**
 * (b) Express as people usually write it: with helmet, pino-http, zod and `res.json`, and with Knex
 * for two queries.
 */
import express from 'express';
import helmet from 'helmet';
import createKnex, { type Knex } from 'knex';
import { pinoHttp } from 'pino-http';
import { z } from 'zod';

import { settings } from './settings';

const { environmentId, databaseUrl, poolSize, port } = settings;
const knex = createKnex({ client: 'pg', connection: databaseUrl, pool: { min: 0, max: poolSize } });
const query = z.object({ user_hash: z.string().min(1).max(1024).optional() });

const app = express();
// Like the service, log no headers, which contain secrets, and no query, which contains the
// user_hash.
app.use(
  pinoHttp({
    serializers: {
      req: ({ method }: { method: string }) => ({ method }),
      res: ({ statusCode }: { statusCode: number }) => ({ statusCode }),
    },
  }),
);
app.use(helmet());
app.use(express.json());

/** Projects with the stories that a user has viewed. */
const projectsFor = (userHash: string | null): Knex.QueryBuilder =>
  knex('projects as p')
    .leftJoin('users as u', (join) => {
      join.onVal('u.environment_id', environmentId).andOnVal('u.user_hash', userHash as string);
    })
    .leftJoin('story_views as v', (join) => {
      join
        .on('v.environment_id', 'u.environment_id')
        .andOn('v.user_id', 'u.user_id')
        .andOn('v.project_id', 'p.project_id');
    })
    .where('p.status', 'active')
    .select('p.project_id', 'p.project_name', 'p.project_image_url')
    .select(knex.raw('NOT isempty(p.published_story_numbers) AS has_stories'))
    .select(
      knex.raw(
        `NOT p.published_story_numbers <@ COALESCE(v.viewed_story_numbers, '{}') AS has_unviewed_stories`,
      ),
    );

interface Row {
  project_id: number;
  project_name: string;
  project_image_url: string;
  has_stories: boolean;
  has_unviewed_stories: boolean;
}

const present = (row: Row, isSupported: boolean) => ({
  project_id: row.project_id,
  project_name: row.project_name,
  project_image_url: row.project_image_url,
  is_supported: isSupported,
  has_stories: row.has_stories,
  has_unviewed_stories: row.has_unviewed_stories,
});

app.get('/company/integration/projects-stories', async (req, res) => {
  const { user_hash: userHash = null } = query.parse(req.query);
  const supported =
    userHash === null
      ? []
      : ((await projectsFor(userHash)
          .join('supports as s', (join) => {
            join
              .on('s.environment_id', 'u.environment_id')
              .andOn('s.user_id', 'u.user_id')
              .andOn('s.project_id', 'p.project_id');
          })
          .orderBy([{ column: 's.last_supported_at', order: 'desc' }, { column: 'p.project_id' }])) as Row[]);
  const ids = supported.map((project) => project.project_id);
  const newOnes = (await projectsFor(userHash)
    .whereNotIn('p.project_id', ids)
    .orderBy(['p.rank', 'p.project_id'])
    .limit(4)) as Row[];
  res.json({
    data: [...supported.map((row) => present(row, true)), ...newOnes.map((row) => present(row, false))],
  });
});

app.listen(port, '127.0.0.1');
