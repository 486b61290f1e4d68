import { createReadOnlyDatabase } from '../../src/db/operator-database';
import type { KeptHead } from '../../src/operator/verification/audit.checks';
import type { VerificationReport } from '../../src/operator/verification/verification-report';
import { verificationChecks } from '../../src/operator/verification/checks';
import { createVerificationService } from '../../src/operator/verification/verification.service';
import { createVerificationStore } from '../../src/operator/verification/verification.store';

/** The report of the operator's `verify` command for a database. */
export async function verificationOf(
  connectionString: string,
  heads?: readonly KeptHead[],
  jobs = 1,
): Promise<VerificationReport> {
  const database = createReadOnlyDatabase(connectionString, jobs);
  try {
    return await createVerificationService(createVerificationStore(database), verificationChecks).verify(
      () => undefined,
      heads,
      jobs,
    );
  } finally {
    await database.close();
  }
}
