import type { Statements } from '../../db/operator-transaction';
import { createContributionsListStore } from '../../modules/contributions/contributions-list.store';
import { pepperList, type Peppers } from '../../modules/key-pairs/credentials';
import { createLaterChangesStore } from '../../modules/statements/later-changes.store';
import { parseFile } from '../../modules/statements/parse-in-worker';
import { createPositionPages } from '../../modules/statements/position-pages';
import { createPositionsStore } from '../../modules/statements/positions.store';
import { createStatedContributionsStore } from '../../modules/statements/stated-contributions.store';
import { createStatementFilesStore } from '../../modules/statements/statement-files.store';
import { createStatementImportStore } from '../../modules/statements/statement-import.store';
import { createStatementImports } from '../../modules/statements/statement-imports.service';
import { systemClock } from '../../shared/clock';
import { createBankStatementsService } from '../bank-statements/bank-statements.service';
import { createBankStatementsStore } from '../bank-statements/bank-statements.store';
import { createPositionLookupService } from '../contribution-lookup/position-lookup.service';
import { createTotalsLookupStore } from '../contribution-lookup/totals-lookup.store';
import { createReconciliationReportService } from '../reconciliation-report/reconciliation-report.service';
import { companiesOf } from './operator';
import { runWith } from './run-with';

export type StatementOperations = ReturnType<typeof createStatementOperations>;

/** Creates what the commands for bank statements and reconciliation use. */
export function createStatementOperations(statements: Statements, peppers: Peppers) {
  const companies = companiesOf(statements);
  const store = createBankStatementsStore(statements);
  const positions = createPositionsStore(statements);
  const positionLookup = createPositionLookupService(
    companies,
    createPositionPages(positions, createContributionsListStore(statements)),
    positions,
  );
  return {
    positionLookup,
    reconciliationReport: createReconciliationReportService({
      companies,
      positions: positionLookup,
      statements: store,
      totals: createTotalsLookupStore(statements),
    }),
    bankStatements: createBankStatementsService({
      companies,
      imports: createStatementImports({
        store: createStatementImportStore(statements),
        changes: createLaterChangesStore(statements),
        contributions: createStatedContributionsStore(statements),
        parse: parseFile,
        peppers: pepperList(peppers),
        clock: systemClock,
      }),
      files: createStatementFilesStore(statements),
      store,
    }),
  };
}

export const { act, look } = runWith(createStatementOperations);
