import type { Knex } from 'knex';

/**
 * The relay keeps the order of cause and effect within a contribution when a clock goes back, such
 * as after a failover: created, completed, returned, return undone. Before, it did so only for
 * created. Changes only these parts of `relay_events_of`, and keeps the rest.
 */
const changes: readonly (readonly [before: string, after: string])[] = [
  [
    `  -- A created event that is still queued goes first, whatever the clocks say: a contribution's other
  -- events were written after its created event was committed, so these statements see it.`,
    `  -- All queued events of a contribution join its batch. An event was written after the commit of its
  -- cause, so these statements see the cause, whatever the clocks say.`,
  ],
  [
    `c.transaction_id = o.transaction_id
          AND c.type = 'contribution.created'
`,
    `c.transaction_id = o.transaction_id
`,
  ],
  [
    `ORDER BY part.place, part.type <> 'contribution.created', part.event_id)`,
    `ORDER BY part.place, CASE part.type WHEN 'contribution.created' THEN 0 WHEN 'contribution.completed' THEN 1
             WHEN 'contribution.return_undone' THEN 3 ELSE 2 END, part.recorded_at, part.event_id)`,
  ],
  [
    `min(e.recorded_at) FILTER (WHERE e.type = 'contribution.created')
               OVER (PARTITION BY e.transaction_id)) AS place`,
    `min(e.recorded_at) FILTER (WHERE e.type = 'contribution.created')
               OVER (PARTITION BY e.transaction_id),
               CASE WHEN e.type IN ('contribution.completion_repeated', 'contribution.completion_contested',
                                    'contribution.returned', 'contribution.return_undone')
                    THEN min(e.recorded_at) FILTER (WHERE e.type = 'contribution.completed')
                           OVER (PARTITION BY e.transaction_id) END,
               CASE WHEN e.type = 'contribution.return_undone'
                    THEN min(e.recorded_at) FILTER (WHERE e.type = 'contribution.returned') OVER (
                           PARTITION BY e.transaction_id, COALESCE(e.evidence ->> 'undoes', e.evidence ->> 'return_id')) END
             ) AS place`,
  ],
];

async function replaceParts(
  knex: Knex,
  parts: readonly (readonly [before: string, after: string])[],
): Promise<void> {
  const { rows } = await knex.raw<{ rows: { definition: string }[] }>(
    `SELECT pg_get_functiondef('relay_events_of'::regproc) AS definition`,
  );
  let definition = rows[0]?.definition ?? '';
  for (const [before, after] of parts) {
    if (definition.split(before).length !== 2)
      throw new Error(`relay_events_of has no single part: ${before}`);
    definition = definition.replace(before, () => after);
  }
  await knex.raw(definition.replaceAll('?', '\\?'));
}

export const up = (knex: Knex): Promise<void> => replaceParts(knex, changes);

export const down = (knex: Knex): Promise<void> =>
  replaceParts(
    knex,
    changes.map(([before, after]) => [after, before] as const),
  );
