import { createEntryClassesStore } from '../../src/features/statements/entry-classes.store';
import type { TestService } from './service';

/** A comparison of the first line of a file, paused before it stores its result. */
export interface PausedComparison {
  accountId: string;
  /** Stores a result without entries. Returns false if its inputs have changed. */
  resume: () => Promise<boolean>;
}

export async function pauseComparison(service: TestService, fileId: string): Promise<PausedComparison> {
  const { rows } = await service.database.admin.query<{ viewer: number; key: string; account: string }>(
    `SELECT s.environment_id AS viewer, encode(s.class_key, 'hex') AS key, st.account_id AS account
       FROM entry_sources s
       JOIN statements st USING (environment_id, file_id)
      WHERE s.file_id = $1 AND st.number = s.statement_number
      ORDER BY s.place LIMIT 1`,
    [fileId],
  );
  const { viewer, key, account } = rows[0]!;
  const store = createEntryClassesStore(service.container.database);
  const { basis } = await store.readClasses(viewer, [key]);
  return { accountId: account, resume: () => store.put(viewer, [key], basis, []) };
}
