import '../../startup/load-environment';

import { Command } from 'commander';
import createKnex from 'knex';

import { createKnexConfig } from '../../db/migrations/knex-config';
import { createReadOnlyDatabase } from '../../db/operator-database';
import { readSchemaState, schemaProblem } from '../../db/migrations/schema-state';
import { OperatorError } from '../../shared/operator-error';
import { asOwner } from './as-owner';

async function checkSchema(ownerUrl: string): Promise<void> {
  const database = createReadOnlyDatabase(ownerUrl);
  try {
    const problem = schemaProblem(await readSchemaState(database));
    if (problem !== undefined) throw new OperatorError(problem);
  } finally {
    await database.close();
  }
}

const seed = (): Promise<void> =>
  asOwner(async (ownerUrl) => {
    await checkSchema(ownerUrl);
    const knex = createKnex(createKnexConfig(ownerUrl));
    try {
      await knex.seed.run();
      console.log('The demo is loaded.');
    } finally {
      await knex.destroy();
    }
  });

void new Command('seed')
  .description(
    'Loads the demo data, and stores its credentials in DATA_DIRECTORY/demo.json. Loading it again changes nothing. Refuses to run in production.',
  )
  .allowExcessArguments(false)
  .action(seed)
  .parseAsync();
