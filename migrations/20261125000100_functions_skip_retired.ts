import type { Knex } from 'knex';

/** What changes in a function: each text occurs once, and the second one replaces it. */
interface Edit {
  signature: string;
  changes: readonly (readonly [before: string, after: string])[];
}

const tagOfAny = 'WHERE e.transaction_tag = _transaction_tag)';
const tagOfLive = 'WHERE e.transaction_tag = _transaction_tag AND e.retired_at IS NULL)';

const edits: readonly Edit[] = [
  {
    signature: 'create_contribution(integer, text, bigint, bigint, text, text, text, text, uuid)',
    changes: [
      [
        `   WHERE e.environment_id = _environment_id
    INTO is_suspended, project_status;
`,
        `   WHERE e.environment_id = _environment_id AND e.retired_at IS NULL
    INTO is_suspended, project_status;
  -- The environment was reset: all results are null. A reset that commits later comes after this create.
  IF is_suspended IS NULL THEN
    RETURN;
  END IF;
`,
      ],
    ],
  },
  {
    signature: 'complete_contribution(integer, text, text, text, bigint, text, date, uuid)',
    changes: [
      [
        '-- Neither the tag nor the environment ever changes.',
        '-- One snapshot for both: after a reset, neither the pair nor the tag leads to the retired environment.',
      ],
      [tagOfAny, tagOfLive],
    ],
  },
  {
    signature: 'record_return(integer, text, text, text, uuid, uuid, text, text, bigint, text, date, uuid)',
    changes: [[tagOfAny, tagOfLive]],
  },
  {
    signature: 'set_sandbox_settings(integer, text, integer, boolean)',
    changes: [
      [
        `  BEGIN
    IF NOT EXISTS (SELECT 1 FROM environments e WHERE e.environment_id = _environment_id AND e.kind = 'test') THEN
`,
        `  BEGIN
    -- Waits for a reset. The next statement sees what it committed.
    PERFORM pg_advisory_xact_lock_shared(hashtextextended('environments', 0));
    IF NOT EXISTS (SELECT 1 FROM environments e
                    WHERE e.environment_id = _environment_id AND e.kind = 'test' AND e.retired_at IS NULL) THEN
`,
      ],
    ],
  },
];

async function edit(knex: Knex, { signature, changes }: Edit): Promise<void> {
  const { rows } = await knex.raw<{ rows: [{ definition: string }] }>(
    'SELECT pg_get_functiondef(?::regprocedure) AS definition',
    [signature],
  );
  const definition = changes.reduce((text, [before, after]) => {
    const [start, end, ...more] = text.split(before);
    if (start === undefined || end === undefined || more.length > 0)
      throw new Error(`the definition of ${signature} is not the one that this migration changes`);
    return start + after + end;
  }, rows[0].definition);
  // Knex would take a question mark as a parameter.
  await knex.raw(definition.replaceAll('?', '\\?'));
}

/** Creates, completions, returns and settings skip environments that a reset retired. */
export async function up(knex: Knex): Promise<void> {
  for (const each of edits) await edit(knex, each);
}

export async function down(knex: Knex): Promise<void> {
  for (const { signature, changes } of edits)
    await edit(knex, { signature, changes: changes.map(([before, after]) => [after, before] as const) });
}
