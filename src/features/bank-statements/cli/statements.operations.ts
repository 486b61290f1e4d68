import type { Queries } from '../../../db/operator-transaction';
import { createContributionsListStore } from '../../../core/contributions/contributions-list.store';
import type { Peppers } from '../../../core/key-pairs/credentials';
import { companiesOf } from '../../../operator/cli/operator';
import { runWith } from '../../../operator/cli/run-with';
import { systemClock } from '../../../shared/clock';
import { createTotalsLookupStore } from '../../totals/cli/totals-lookup.store';
import { createMonthsService } from '../months/months.service';
import { createMonthsStore } from '../months/months.store';
import { createAccountLookupService } from '../operator/account-lookup.service';
import { createBankStatementsStore } from '../operator/bank-statements.store';
import { createPositionLookupService, type UploaderName } from '../operator/position-lookup.service';
import { createReconciliationReportService } from '../report/reconciliation-report.service';
import { createPositionPages } from '../reporting/positions/position-pages';
import { composeReporting } from '../reporting/reporting.feature';
import { createStatementLinesStore } from '../statements/statement-lines.store';
import { createStatementUploads } from '../uploads/statement-uploads.service';
import { createStatementUploadsStore } from '../uploads/statement-uploads.store';
import { createUploadRecordsStore } from '../uploads/upload-records.store';

export type StatementOperations = ReturnType<typeof createStatementOperations>;

/** Creates what the commands for bank statements and reconciliation use. */
export function createStatementOperations(queries: Queries, peppers: Peppers) {
  const companies = companiesOf(queries);
  const statements = createBankStatementsStore(queries);
  const { accounts: calendarAccounts, calendars, lost, positions, ...reports } = composeReporting(queries);
  const accounts = createAccountLookupService(calendarAccounts);
  const positionLookup = createPositionLookupService(
    companies,
    createPositionPages(positions, createContributionsListStore(queries)),
  );
  return {
    /** @throws OperatorError if no company has this name */
    environmentOf: async ({ company, kind }: UploaderName): Promise<number> =>
      (await companies.find(company)).environments[kind],
    ...{ ...reports, statements, accounts, positionLookup },
    uploads: createStatementUploads({
      store: createStatementUploadsStore(queries),
      records: createUploadRecordsStore(queries),
      statements: createStatementLinesStore(queries),
      peppers,
      // A running service looks for uploads by itself.
      wake: () => undefined,
    }),
    months: createMonthsService({ store: createMonthsStore(queries), lost }, systemClock),
    reconciliationReport: createReconciliationReportService({
      ...{ companies, statements, accounts, calendars },
      reconciliations: reports.reconciliations,
      positions: positionLookup,
      totals: createTotalsLookupStore(queries),
    }),
  };
}

export const { runChange, runRead } = runWith(createStatementOperations);
