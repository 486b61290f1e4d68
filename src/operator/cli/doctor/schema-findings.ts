import type { Due } from '../../../db/migrations/due-files';
import {
  dueProblem,
  readDueFiles,
  readSchemaState,
  schemaProblem,
} from '../../../db/migrations/schema-state';
import type { Queries } from '../../../db/operator-transaction';
import type { Finding } from './finding';

/** Checks that the schema is one with which this version runs. */
export async function examineMigrations(queries: Queries): Promise<Finding> {
  const problem = schemaProblem(await readSchemaState(queries));
  return {
    check: 'migrations',
    status: problem === undefined ? 'ok' : 'problem',
    detail: problem ?? 'all migrations are applied',
  };
}

const check = 'functions and privileges';

/** Reports functions, triggers and privileges that differ from the files of this version. */
export async function examineFiles(queries: Queries): Promise<Finding> {
  const due = await readDueFiles(queries);
  if (due.length === 0) return { check, status: 'ok', detail: 'the database has those of this version' };
  return differing(due);
}

/** Reports only changes by hand, before the migration that would replace them. */
export async function examineManualChanges(queries: Queries): Promise<Finding[]> {
  const { hasFiles } = await readSchemaState(queries);
  const due = hasFiles ? await readDueFiles(queries) : [];
  const altered = due.filter(({ isAltered }) => isAltered);
  return altered.length === 0 ? [] : [differing(altered)];
}

function differing(due: readonly Due[]): Finding {
  const list = due.map(({ file, reason }) => `database/${file.path} (${reason})`).join('; ');
  return {
    check,
    status: due.some(({ isAltered }) => isAltered) ? 'problem' : 'warning',
    detail: `${list}. ${dueProblem(due) ?? ''}`,
  };
}
