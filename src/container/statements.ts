import type { PooledDatabase } from '../db/pool/database';
import type { ContributionsService } from '../modules/contributions/contributions.service';
import { currentPepperVersion, type Peppers } from '../modules/key-pairs/credentials';
import { createMatchingProgressStore } from '../modules/statements/matching-progress.store';
import { parseFile } from '../modules/statements/parse-in-worker';
import { createPositionsService } from '../modules/statements/positions.service';
import { createPositionsStore } from '../modules/statements/positions.store';
import { createReconcileClasses } from '../modules/statements/reconcile-classes';
import { createEntryClassesStore } from '../modules/statements/entry-classes.store';
import { createStatedContributionsStore } from '../modules/statements/stated-contributions.store';
import { createStatementAccountsStore } from '../modules/statements/statement-accounts.store';
import { createStatementFilesStore } from '../modules/statements/statement-files.store';
import { createStatementImportStore } from '../modules/statements/statement-import.store';
import { createStatementImports } from '../modules/statements/statement-imports.service';
import { startStatementMatching, type StatementMatching } from '../modules/statements/statement-matching';
import type { StatementServices } from '../modules/statements/statements.router';
import { systemClock } from '../shared/clock';
import type { Logger } from '../shared/logger';

/** The current pepper first. Account numbers that an older one has hashed are still found. */
const pepperList = (peppers: Peppers): Buffer[] => {
  const current = currentPepperVersion(peppers);
  const others = [...peppers].filter(([version]) => version !== current).map(([, pepper]) => pepper);
  return [...[peppers.get(current)].flatMap((pepper) => pepper ?? []), ...others];
};

/** Bank statements: import, matching in the background, and positions. */
export function createStatements(
  database: PooledDatabase,
  contributions: ContributionsService,
  peppers: Peppers,
  logger: Logger,
): StatementServices & { matching: StatementMatching; oldestUnmatchedSeconds: () => Promise<number> } {
  const stated = createStatedContributionsStore(database);
  const progress = createMatchingProgressStore(database);
  return {
    oldestUnmatchedSeconds: progress.oldestUnmatchedSeconds,
    imports: createStatementImports({
      store: createStatementImportStore(database),
      contributions: stated,
      parse: parseFile,
      peppers: pepperList(peppers),
      clock: systemClock,
    }),
    files: createStatementFilesStore(database),
    accounts: createStatementAccountsStore(database),
    matching: startStatementMatching(
      progress,
      createReconcileClasses(createEntryClassesStore(database), stated),
      logger,
    ),
    positions: createPositionsService(createPositionsStore(database), contributions),
  };
}
