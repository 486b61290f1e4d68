import type { Queries } from '../../../db/operator-transaction';
import { createContributionsListStore } from '../../../core/contributions/contributions-list.store';
import { pepperList, type Peppers } from '../../../core/key-pairs/credentials';
import { createAccountDaysStore } from '../account-days.store';
import { createLaterChangesStore } from '../later-changes.store';
import { parseFile } from '../parse-in-worker';
import { createPositionPages } from '../position-pages';
import { createPositionsStore } from '../positions.store';
import { createStatedContributionsStore } from '../stated-contributions.store';
import { createStatementAccountsStore } from '../statement-accounts.store';
import { createStatementFilesStore } from '../statement-files.store';
import { createStatementImportStore } from '../statement-import.store';
import { createStatementImports } from '../statement-imports.service';
import { systemClock } from '../../../shared/clock';
import { createAccountDaysLookupService } from '../operator/account-days-lookup.service';
import { createBankStatementsService } from '../operator/bank-statements.service';
import { createBankStatementsStore } from '../operator/bank-statements.store';
import { createPositionLookupService } from '../operator/position-lookup.service';
import { createTotalsLookupStore } from '../../totals/cli/totals-lookup.store';
import { createReconciliationReportService } from '../report/reconciliation-report.service';
import { companiesOf } from '../../../operator/cli/operator';
import { runWith } from '../../../operator/cli/run-with';

export type StatementOperations = ReturnType<typeof createStatementOperations>;

/** Creates what the commands for bank statements and reconciliation use. */
export function createStatementOperations(statements: Queries, peppers: Peppers) {
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
    accountDays: createAccountDaysLookupService(
      companies,
      createStatementAccountsStore(statements),
      createAccountDaysStore(statements),
    ),
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

export const { runChange, runRead } = runWith(createStatementOperations);
