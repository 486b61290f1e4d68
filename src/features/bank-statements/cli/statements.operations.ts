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
import { createAccountCalendars } from '../reporting/days/account-calendars';
import { createCalendarStore } from '../reporting/days/calendar.store';
import { createDayFactsStore } from '../reporting/days/day-facts.store';
import { createDaysService } from '../reporting/days/days.service';
import { createLostDecisionsStore } from '../reporting/days/lost-decisions.store';
import { createQuestionsService } from '../reporting/days/questions.service';
import { createLineListsStore } from '../reporting/lines/line-lists.store';
import { createLinesService } from '../reporting/lines/lines.service';
import { createReportLinesStore } from '../reporting/lines/report-lines.store';
import { createAccountCoverage } from '../reporting/positions/account-coverage';
import { createAccountPositionsStore } from '../reporting/positions/account-positions.store';
import { createPositionPages } from '../reporting/positions/position-pages';
import { createRecordedReturnsStore } from '../reporting/positions/recorded-returns.store';
import { createReconciliationStatements } from '../reporting/reconciliation/reconciliation-statement.service';
import { createTermSumsStore } from '../reporting/reconciliation/term-sums.store';
import { createStatementLinesStore } from '../statements/statement-lines.store';
import { createStatementUploads } from '../uploads/statement-uploads.service';
import { createStatementUploadsStore } from '../uploads/statement-uploads.store';
import { createUploadRecordsStore } from '../uploads/upload-records.store';

export type StatementOperations = ReturnType<typeof createStatementOperations>;

/** Creates what the commands for bank statements and reconciliation use. */
export function createStatementOperations(queries: Queries, peppers: Peppers) {
  const companies = companiesOf(queries);
  const statements = createBankStatementsStore(queries);
  const calendarStore = createCalendarStore(queries);
  const calendars = createAccountCalendars(calendarStore);
  const facts = createDayFactsStore(queries);
  const lost = createLostDecisionsStore(queries);
  const reconciliations = createReconciliationStatements(calendars, createTermSumsStore(queries));
  const accounts = createAccountLookupService(calendarStore);
  const positionStore = {
    ...createAccountPositionsStore(queries),
    ...createRecordedReturnsStore(queries),
    ...createAccountCoverage(calendarStore, calendars),
  };
  const positionLookup = createPositionLookupService(
    companies,
    createPositionPages(positionStore, createContributionsListStore(queries)),
  );
  return {
    /** @throws OperatorError if no company has this name */
    environmentOf: async ({ company, kind }: UploaderName): Promise<number> =>
      (await companies.find(company)).environments[kind],
    ...{ statements, accounts, positionLookup, reconciliations },
    uploads: createStatementUploads({
      store: createStatementUploadsStore(queries),
      records: createUploadRecordsStore(queries),
      statements: createStatementLinesStore(queries),
      peppers,
      // A running service looks for uploads by itself.
      wake: () => undefined,
    }),
    lines: createLinesService(createLineListsStore(queries), createReportLinesStore(queries)),
    days: createDaysService({ accounts: calendarStore, calendars, facts }),
    questions: createQuestionsService({ accounts: calendarStore, calendars, facts, lost }),
    months: createMonthsService({ store: createMonthsStore(queries), lost }, systemClock),
    reconciliationReport: createReconciliationReportService({
      ...{ companies, statements, accounts, calendars, reconciliations },
      positions: positionLookup,
      totals: createTotalsLookupStore(queries),
    }),
  };
}

export const { runChange, runRead } = runWith(createStatementOperations);
