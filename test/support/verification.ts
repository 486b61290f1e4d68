import { createReadOnlyDatabase } from '../../src/db/operator-database';
import type { VerificationReport } from '../../src/modules/verification/verification-report';
import { createVerificationService } from '../../src/modules/verification/verification.service';
import { createVerificationStore } from '../../src/modules/verification/verification.store';

/** What the operator's `verify` reports of a database. */
export async function verificationOf(ownerUrl: string): Promise<VerificationReport> {
  const database = createReadOnlyDatabase(ownerUrl);
  try {
    return await createVerificationService(createVerificationStore(database)).verify(() => undefined);
  } finally {
    await database.close();
  }
}
