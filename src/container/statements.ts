import type { PooledDatabase } from '../db/pool/database';
import { createContributionsListStore } from '../modules/contributions/contributions-list.store';
import type { ContributionsService } from '../modules/contributions/contributions.service';
import { pepperList, type Peppers } from '../modules/key-pairs/credentials';
import { createBatchPartsStore } from '../modules/statements/batch-parts.store';
import { createDecisionsService } from '../modules/statements/decisions.service';
import { createDecisionsStore } from '../modules/statements/decisions.store';
import { createLaterChangesStore } from '../modules/statements/later-changes.store';
import { createMatchAgain } from '../modules/statements/match-again';
import { createMatchingProgressStore } from '../modules/statements/matching-progress.store';
import { parseFile } from '../modules/statements/parse-in-worker';
import { startOpenPositions } from '../modules/statements/open-positions';
import {
  createOpenPositionsStore,
  type OpenPositionsStore,
} from '../modules/statements/open-positions.store';
import { createPositionPages } from '../modules/statements/position-pages';
import { createPositionsService } from '../modules/statements/positions.service';
import { createPositionsStore } from '../modules/statements/positions.store';
import { createReconcileClasses } from '../modules/statements/reconcile-classes';
import { createEntryClassesStore } from '../modules/statements/entry-classes.store';
import { createSettlementListsStore } from '../modules/statements/settlement-lists.store';
import { createStatedContributionsStore } from '../modules/statements/stated-contributions.store';
import { createStatementAccountsStore } from '../modules/statements/statement-accounts.store';
import { createStatementFilesStore } from '../modules/statements/statement-files.store';
import { createStatementImportStore } from '../modules/statements/statement-import.store';
import { createStatementImports } from '../modules/statements/statement-imports.service';
import { startStatementMatching, type StatementMatching } from '../modules/statements/statement-matching';
import type { StatementServices } from '../modules/statements/statements.router';
import { systemClock } from '../shared/clock';
import type { Logger } from '../shared/logger';

/** Bank statements: import, matching in the background, and positions. */
export function createStatements(
  database: PooledDatabase,
  contributions: ContributionsService,
  { peppers, pollMs }: { peppers: Peppers; pollMs?: number | undefined },
  logger: Logger,
): StatementServices & {
  work: readonly Pick<StatementMatching, 'stop'>[];
  oldestUnmatchedSeconds: () => Promise<number>;
  openPositions: OpenPositionsStore['counts'];
} {
  const stated = createStatedContributionsStore(database);
  const progress = createMatchingProgressStore(database);
  const changes = createLaterChangesStore(database);
  const reconcile = createReconcileClasses(createEntryClassesStore(database), stated);
  const positionsStore = createPositionsStore(database);
  const openPositions = createOpenPositionsStore(database);
  const matching = startStatementMatching(
    {
      files: progress,
      parts: createBatchPartsStore(database),
      reconcile,
      changes,
      matchAgain: createMatchAgain(changes, reconcile),
    },
    logger,
    pollMs,
  );
  const counting = startOpenPositions(
    {
      store: openPositions,
      positionPages: createPositionPages(positionsStore, createContributionsListStore(database)),
      clock: systemClock,
    },
    logger,
  );
  return {
    work: [matching, counting],
    openPositions: () => openPositions.counts(),
    oldestUnmatchedSeconds: progress.oldestUnmatchedSeconds,
    imports: createStatementImports({
      store: createStatementImportStore(database),
      changes,
      contributions: stated,
      parse: parseFile,
      peppers: pepperList(peppers),
      clock: systemClock,
    }),
    files: createStatementFilesStore(database),
    accounts: createStatementAccountsStore(database),
    settlements: createSettlementListsStore(database),
    decisions: createDecisionsService({
      store: createDecisionsStore(database),
      contributions,
      stated,
      reconcile,
    }),
    matching,
    positions: createPositionsService(positionsStore, contributions),
  };
}
