import type { Knex } from 'knex';

import { replaceInFunction } from '../src/db/migrations/replace-in-function';

const moved = `endpoint_id, environment_kind, slot, url, types, description, created_at, updated_at, verified_at,
       disabled_at, disabled_reason, secret_version, key_version, previous_key_version, previous_secret_until`;

/** An endpoint keeps its id and so its secrets. Its new feed begins empty. */
const moveEndpoints = `
    INSERT INTO webhook_endpoints
      (environment_id, ${moved}, position, failure_count, probe_count, notice_count)
    SELECT new_environment_id, ${moved}, 0, 0, 0, 0
      FROM webhook_endpoints w
     WHERE w.environment_id = _environment_id;
    DELETE FROM webhook_endpoints w WHERE w.environment_id = _environment_id;

`;

const place = `    -- Without settings, nothing is planned any more`;

const signature = 'reset_sandbox(integer, integer)';

/** A reset moves the endpoints of a test environment along. */
export const up = (knex: Knex): Promise<void> =>
  replaceInFunction(knex, signature, place, moveEndpoints + place);

export const down = (knex: Knex): Promise<void> =>
  replaceInFunction(knex, signature, moveEndpoints + place, place);
