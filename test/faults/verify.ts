import { createReadOnlyDatabase } from '../../src/db/operator-database';
import { createVerificationService } from '../../src/modules/verification/verification.service';
import { createVerificationStore } from '../../src/modules/verification/verification.store';
import { databaseName, type World } from './world';

/** What the operator's `verify` finds in the database: rule, ids, and what is wrong. */
export async function verify({ pair }: World): Promise<string[]> {
  const database = createReadOnlyDatabase(pair.primary.url(databaseName));
  try {
    const report = await createVerificationService(createVerificationStore(database)).verify(() => undefined);
    return report.checks.flatMap(({ check, violations }) =>
      violations.map((violation) => `${check}: ${JSON.stringify(violation)}`),
    );
  } finally {
    await database.close();
  }
}
