import type { Size } from './size';

/** One statement of the generator: it fills a part of a table, and needs no other part. */
export interface Chunk {
  what: string;
  rows: number;
  text: string;
}

const rowsPerChunk = 50_000;

/** The supports from $from to $to: whose, of which project, and when their two transactions were created and completed. */
const supportsBetween = (from: number, to: number, { projects, mostSupports }: Size): string => `
  SELECT e.environment_id, e.tag, e.api_key, number, at.place, e.supports, who.user_id, target.project_id
    FROM bench.environments e
    CROSS JOIN LATERAL generate_series(GREATEST(${from}, e.first_support),
                                       LEAST(${to}, e.first_support + e.supports) - 1) AS number
    CROSS JOIN LATERAL (SELECT number - e.first_support AS place) AS at
    -- The first user of the first company supports the most; all others the same number, give or take one.
    CROSS JOIN LATERAL (
      SELECT e.first_support = 0 AND at.place < ${mostSupports} AS is_keen,
             CASE WHEN e.first_support = 0 THEN at.place - ${mostSupports} ELSE at.place END AS rest,
             CASE WHEN e.first_support = 0 THEN 1 ELSE 0 END AS keen_users
    ) AS kind
    CROSS JOIN LATERAL (
      SELECT e.first_user + CASE WHEN kind.is_keen THEN 0
                                 ELSE kind.keen_users + kind.rest % GREATEST(e.users - kind.keen_users, 1) END AS user_id,
             CASE WHEN kind.is_keen THEN at.place ELSE kind.rest / GREATEST(e.users - kind.keen_users, 1) END AS support_of_user
    ) AS who
    -- Few projects are popular. 7919 is prime, so a user meets no project twice.
    CROSS JOIN LATERAL (
      SELECT 1 + (trunc(${projects} * (bench.draw(who.user_id, 1, 1000000) / 1e6) ^ 3)::bigint
                  + who.support_of_user * 7919) % ${projects} AS project_id
    ) AS target
   WHERE e.first_support < ${to} AND e.first_support + e.supports > ${from}`;

const seconds = (count: string): string => `(${count}) * interval '1 second'`;

/** The transactions of a support, the first in the first 90 days of 2026 and the second in the next 90. */
const turn = (which: string): string => `
  SELECT created_at, created_at + ${seconds(`60 + bench.draw(2 * s.number + ${which}, 2, 86400)`)} AS completed_at,
         ${which} = 0 OR bench.draw(2 * s.number + ${which}, 3, 10) < 9 AS is_completed
    FROM (SELECT timestamptz '2026-01-01Z' + (${which} + s.place / s.supports::numeric)::float8 * interval '90 days'
                 AS created_at) AS moment`;

const transactions = (from: number, to: number, size: Size): string => `
  WITH made AS (
    INSERT INTO transactions (environment_id, transaction_id, user_id, project_id, amount_cents, currency, status,
      idempotency_key, created_by_api_key, created_at, completed_at, completed_by_environment_id, completed_by_api_key,
      bank_reference)
    SELECT s.environment_id, bench.transaction_id(s.tag, turn.created_at, s.place + which), s.user_id, s.project_id,
           100 + bench.draw(2 * s.number + which, 4, 20000), 'USD',
           CASE WHEN turn.is_completed THEN 'completed' ELSE 'pending' END,
           CASE WHEN bench.draw(s.number, 5, 4) = 0 THEN 'order-' || 2 * s.number + which END, s.api_key, turn.created_at,
           CASE WHEN turn.is_completed THEN turn.completed_at END,
           CASE WHEN turn.is_completed THEN s.environment_id END,
           CASE WHEN turn.is_completed THEN s.api_key END,
           CASE WHEN turn.is_completed AND s.number % 2 = 0 THEN 'FT-' || s.number END
      FROM (VALUES (0), (1)) AS both_turns (which)
      CROSS JOIN (${supportsBetween(from, to, size)}) AS s
      CROSS JOIN LATERAL (${turn('which')}) AS turn
    RETURNING *
  )
  INSERT INTO events (environment_id, event_id, transaction_id, type, actor_environment_id, actor_api_key, evidence,
    recorded_at)
  SELECT environment_id, bench.event_id(at, transaction_id, type), transaction_id, type, environment_id, created_by_api_key,
         evidence, at
    FROM made
    CROSS JOIN LATERAL (
      SELECT created_at AS at, 'contribution.created' AS type,
             jsonb_build_object('project_id', project_id, 'amount_cents', amount_cents) AS evidence
      UNION ALL
      SELECT completed_at, 'contribution.completed', jsonb_strip_nulls(jsonb_build_object('bank_reference', bank_reference))
       WHERE completed_at IS NOT NULL
    ) AS happened`;

const supports = (from: number, to: number, size: Size): string => `
  INSERT INTO supports (environment_id, user_id, project_id, first_supported_at, last_supported_at)
  SELECT s.environment_id, s.user_id, s.project_id, one.completed_at,
         CASE WHEN two.is_completed THEN GREATEST(one.completed_at, two.completed_at) ELSE one.completed_at END
    FROM (${supportsBetween(from, to, size)}) AS s
    CROSS JOIN LATERAL (${turn('0')}) AS one
    CROSS JOIN LATERAL (${turn('1')}) AS two`;

/** Two views for each support on average, one after the other or with a gap after each. */
const storyViews = (from: number, to: number, size: Size): string => `
  INSERT INTO story_views (environment_id, user_id, project_id, viewed_story_numbers)
  SELECT s.environment_id, s.user_id, s.project_id,
         (SELECT range_agg(int4range(number, number + 1))
            FROM generate_series(1, (viewed - 1) * step + 1, step) AS number) * p.published_story_numbers
    FROM (${supportsBetween(from, to, size)}) AS s
    CROSS JOIN LATERAL (
      SELECT (1 + bench.draw(s.number, 6, 3) + CASE WHEN bench.draw(s.number, 8, 9) = 0 THEN 1 ELSE 0 END)::integer AS viewed,
             (1 + bench.draw(s.number, 7, 2))::integer AS step
    ) AS many
    JOIN projects p ON p.project_id = s.project_id AND NOT isempty(p.published_story_numbers)
  ON CONFLICT DO NOTHING`;

const users = (from: number, to: number): string => `
  INSERT INTO users (environment_id, user_id, user_hash, first_name, created_at) OVERRIDING SYSTEM VALUE
  SELECT e.environment_id, number, bench.user_hash(number), CASE WHEN number % 3 = 0 THEN 'User ' || number END, '2025-12-15Z'
    FROM bench.environments e
    CROSS JOIN LATERAL generate_series(GREATEST(${from} + 1, e.first_user), LEAST(${to}, e.first_user + e.users - 1)) AS number
   WHERE e.first_user <= ${to} AND e.first_user + e.users > ${from} + 1`;

const stories = (from: number, to: number, { mostStories, projects }: Size): string => `
  INSERT INTO stories (story_id, project_id, story_number, title, body, image_url, published_at)
  SELECT number + 1, placed.project_id, placed.story_number, 'Story ' || number + 1, repeat('What happened since. ', 20),
         'https://pictures.example/story/' || number + 1, timestamptz '2025-01-01Z' + ${seconds('placed.story_number * 3600')}
    FROM generate_series(${from}, ${to} - 1) AS number
    CROSS JOIN LATERAL (
      SELECT CASE WHEN number < ${2 * mostStories} THEN 1 + number % 2
                  ELSE 3 + (number - ${2 * mostStories}) % ${withStories(projects)} END AS project_id,
             CASE WHEN number < ${2 * mostStories} THEN 1 + number / 2
                  ELSE 1 + (number - ${2 * mostStories}) / ${withStories(projects)} END AS story_number
    ) AS placed`;

/** How many projects besides the first two have stories: one in twenty has none. */
export const withStories = (projects: number): number => Math.floor(0.95 * (projects - 2));

/** Every table that is filled in parts, as many statements as it takes; any order will do. */
export function chunksOf(size: Size): Chunk[] {
  const split = (
    what: string,
    count: number,
    rowsEach: number,
    text: (from: number, to: number) => string,
  ): Chunk[] => {
    const step = Math.ceil(rowsPerChunk / rowsEach);
    return Array.from({ length: Math.ceil(count / step) }, (_, place) => {
      const to = Math.min(count, (place + 1) * step);
      return { what, rows: (to - place * step) * rowsEach, text: text(place * step, to) };
    });
  };
  // A transaction has nearly two events.
  return [
    ...split('stories', size.stories, 1, (from, to) => stories(from, to, size)),
    ...split('users', size.users, 1, users),
    ...split('transactions and their events', size.supports, 6, (from, to) => transactions(from, to, size)),
    ...split('supports', size.supports, 1, (from, to) => supports(from, to, size)),
    ...split('story views', size.supports, 1, (from, to) => storyViews(from, to, size)),
  ];
}
