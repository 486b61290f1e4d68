import type { Core, Feature, ServedFeature, ServiceProcess } from '../../feature';
import { reconciliationCommand } from './cli/reconciliation.command';
import { statementsCommand } from './cli/statements.command';
import { statementFindings } from './statements.findings';
import { statementChecks } from './statements.checks';
import { readNumber } from '../../metrics/readings';
import { systemClock } from '../../shared/clock';
import { createContributionsListStore } from '../../core/contributions/contributions-list.store';
import { pepperList } from '../../core/key-pairs/credentials';
import { statementErrors } from './statements.errors';
import { listAccountDays } from './account-days.contract';
import { createAccountDaysStore } from './account-days.store';
import { createBatchPartsStore } from './batch-parts.store';
import { decisionsContract } from './decisions.contract';
import { createDecisionsService } from './decisions.service';
import { createDecisionsStore } from './decisions.store';
import { createEntryClassesStore } from './entry-classes.store';
import { createLaterChangesStore } from './later-changes.store';
import { createMatchAgain } from './match-again';
import { createMatchingProgressStore } from './matching-progress.store';
import { startOpenPositions } from './open-positions';
import { createOpenPositionsStore, openPositionsReading } from './open-positions.store';
import { parseFile } from './parse-in-worker';
import { createPositionPages } from './position-pages';
import { createPositionsService } from './positions.service';
import { createPositionsStore } from './positions.store';
import { createReconcileClasses } from './reconcile-classes';
import { reconciliationContract } from './reconciliation.contract';
import { listSettlements } from './settlement-lists.contract';
import { createSettlementListsStore } from './settlement-lists.store';
import { createStatedContributionsStore } from './stated-contributions.store';
import { statementAccountsContract } from './statement-accounts.contract';
import { createStatementAccountsStore } from './statement-accounts.store';
import { createStatementFilesStore } from './statement-files.store';
import { createStatementImportStore } from './statement-import.store';
import { createStatementImports } from './statement-imports.service';
import { startStatementMatching } from './statement-matching';
import { statementsContract } from './statements.contract';
import { statementsRoutes } from './statements.router';
import { statementScopes } from './statements.scopes';

function serve(
  { database, logger, pollMs }: ServiceProcess,
  { contributions, peppers }: Core,
): ServedFeature {
  const stated = createStatedContributionsStore(database);
  const progress = createMatchingProgressStore(database);
  const changes = createLaterChangesStore(database);
  const reconcile = createReconcileClasses(createEntryClassesStore(database), stated);
  const positions = createPositionsStore(database);
  const openPositions = createOpenPositionsStore(database);
  const parts = createBatchPartsStore(database);
  const matchAgain = createMatchAgain(changes, reconcile);
  const matching = startStatementMatching(
    { files: progress, parts, reconcile, changes, matchAgain },
    logger,
    pollMs,
  );
  const positionPages = createPositionPages(positions, createContributionsListStore(database));
  const counting = startOpenPositions({ store: openPositions, positionPages, clock: systemClock }, logger);
  return {
    routes(routes) {
      statementsRoutes(routes, {
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
        accountDays: createAccountDaysStore(database),
        settlements: createSettlementListsStore(database),
        decisions: createDecisionsService({
          store: createDecisionsStore(database),
          contributions,
          stated,
          reconcile,
        }),
        matching,
        positions: createPositionsService(positions, contributions),
      });
    },
    readings: [
      readNumber(
        'contribution_statement_oldest_unmatched_age_seconds',
        'Age of the oldest uploaded statement that is not yet compared with contributions; 0 if there is none.',
        progress.oldestUnmatchedSeconds,
      ),
      openPositionsReading(database),
    ],
    stop: () => Promise.all([matching.stop(), counting.stop()]),
  };
}

/** Bank statements: reads files, matches their entries in the background, and shows positions. */
export const statementsFeature: Feature = {
  name: 'statements',
  scopes: statementScopes,
  errors: statementErrors,
  contracts: () => [
    ...Object.values(statementsContract),
    listSettlements,
    ...Object.values(decisionsContract),
    ...Object.values(statementAccountsContract),
    listAccountDays,
    ...Object.values(reconciliationContract),
  ],
  checks: statementChecks,
  findings: statementFindings,
  commands: [
    { before: 'users', create: statementsCommand },
    { before: 'users', create: reconciliationCommand },
  ],
  create: (process) => ({ serve: (core) => serve(process, core) }),
};
