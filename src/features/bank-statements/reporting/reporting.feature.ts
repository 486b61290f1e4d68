import { createAccountCalendars } from './days/account-calendars';
import { createCalendarStore } from './days/calendar.store';
import { createDayFactsStore } from './days/day-facts.store';
import { createDaysService } from './days/days.service';
import { createLostDecisionsStore } from './days/lost-decisions.store';
import { createQuestionsService } from './days/questions.service';
import { createLineListsStore } from './lines/line-lists.store';
import { createLinesService } from './lines/lines.service';
import { createReportLinesStore } from './lines/report-lines.store';
import { createAccountCoverage } from './positions/account-coverage';
import { createAccountPositionsStore } from './positions/account-positions.store';
import { createRecordedReturnsStore } from './positions/recorded-returns.store';
import { createReconciliationStatements } from './reconciliation/reconciliation-statement.service';
import { createTermSumsStore } from './reconciliation/term-sums.store';

/** The number of entries that are shown with a contribution. */
const entriesOfContribution = 100;

/** Builds what people read about statements, for the API and for the operators' commands. */
export function composeReporting(database: Parameters<typeof createCalendarStore>[0]) {
  const accounts = createCalendarStore(database);
  const calendars = createAccountCalendars(accounts);
  const facts = createDayFactsStore(database);
  const lost = createLostDecisionsStore(database);
  const lines = createReportLinesStore(database);
  return {
    ...{ accounts, calendars, lost },
    days: createDaysService({ accounts, calendars, facts }),
    questions: createQuestionsService({ accounts, calendars, facts, lost }),
    lines: createLinesService(createLineListsStore(database), lines),
    reconciliations: createReconciliationStatements(calendars, createTermSumsStore(database)),
    /** What positions are made of. */
    positions: {
      ...createAccountPositionsStore(database),
      ...createRecordedReturnsStore(database),
      ...createAccountCoverage(accounts, calendars),
      entriesOf: async (viewer: number, transactionId: string) =>
        lines.lines(viewer, await lines.ofContribution(viewer, transactionId, entriesOfContribution)),
    },
  };
}
