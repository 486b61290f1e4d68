import '../../startup/load-environment';

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

void asOwner(async (ownerUrl) => {
  await checkSchema(ownerUrl);
  const knex = createKnex(createKnexConfig(ownerUrl));
  try {
    await knex.seed.run();
    console.log('The demo is loaded.');
  } finally {
    await knex.destroy();
  }
});
