import '../../startup/load-environment';

import { Command } from 'commander';
import createKnex from 'knex';

import { createKnexConfig } from '../../db/migrations/knex-config';
import { createReadOnlyDatabase } from '../../db/operator-database';
import { readSchemaState, schemaProblem } from '../../db/migrations/schema-state';
import { OperatorError } from '../../shared/operator-error';
import { asOwner } from './as-owner';
import { type CommandIo, printLine } from './command-io';
import { exitCodes } from './exit-codes';
import { runAsProcess } from './process-io';

async function checkSchema(ownerUrl: string): Promise<void> {
  const database = createReadOnlyDatabase(ownerUrl);
  try {
    const problem = schemaProblem(await readSchemaState(database));
    if (problem !== undefined) throw new OperatorError(problem);
  } finally {
    await database.close();
  }
}

const seed = (io: CommandIo): Promise<void> =>
  asOwner(io, async (ownerUrl, { DATA_DIRECTORY }) => {
    await checkSchema(ownerUrl);
    const knex = createKnex(createKnexConfig(ownerUrl));
    try {
      await knex.seed.run();
      printLine(io.stdout, 'The demo is loaded.');
      return `The database has the demo now, and ${DATA_DIRECTORY}/demo.json has its credentials. Loading it again changes nothing. No command removes it.`;
    } finally {
      await knex.destroy();
    }
  });

// The seeds read the settings of the process, because the Knex command line runs them too.
const createProgram = (io: CommandIo): Command =>
  new Command('seed')
    .description(
      'Loads the demo data, and stores its credentials in DATA_DIRECTORY/demo.json. Loading it again changes nothing. Refuses to run in production.',
    )
    .allowExcessArguments(false)
    .action(() => seed(io));

void runAsProcess({ create: createProgram, invalid: exitCodes.failed });
