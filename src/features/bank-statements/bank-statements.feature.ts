import { createContributionsListStore } from '../../core/contributions/contributions-list.store';
import type { Core, Feature, ServedFeature, ServiceProcess } from '../../feature';
import { systemClock } from '../../shared/clock';
import { accountRulesContract } from './accounts/account-rules.contract';
import { accountsContract } from './accounts/accounts.contract';
import { createAccountsService } from './accounts/accounts.service';
import { createAccountsStore } from './accounts/accounts.store';
import { answersContract } from './answers/answers.contract';
import { lineDecisionsContract } from './decisions/line-decisions.contract';
import { monthsContract } from './months/months.contract';
import { statementChecks } from './bank-statements.checks';
import { statementErrors } from './bank-statements.errors';
import { statementFindings } from './bank-statements.findings';
import { bankStatementsRoutes } from './bank-statements.router';
import { statementScopes } from './bank-statements.scopes';
import { reconciliationCommand } from './cli/reconciliation.command';
import { statementsCommand } from './cli/statements.command';
import { createAccountCalendars } from './reporting/days/account-calendars';
import { createCalendarStore } from './reporting/days/calendar.store';
import { createDayFactsStore } from './reporting/days/day-facts.store';
import { daysContract } from './reporting/days/days.contract';
import { createDaysService } from './reporting/days/days.service';
import { createLostDecisionsStore } from './reporting/days/lost-decisions.store';
import { createQuestionsService } from './reporting/days/questions.service';
import { createLineListsStore } from './reporting/lines/line-lists.store';
import { linesContract } from './reporting/lines/lines.contract';
import { createLinesService } from './reporting/lines/lines.service';
import { createReportLinesStore } from './reporting/lines/report-lines.store';
import { createAccountCoverage } from './reporting/positions/account-coverage';
import { createAccountPositionsStore } from './reporting/positions/account-positions.store';
import { startOpenPositions } from './reporting/positions/open-positions';
import { createOpenPositionsStore, openPositionsReading } from './reporting/positions/open-positions.store';
import { createPositionPages } from './reporting/positions/position-pages';
import { positionsContract } from './reporting/positions/positions.contract';
import { createPositionsService } from './reporting/positions/positions.service';
import { createRecordedReturnsStore } from './reporting/positions/recorded-returns.store';
import { getReconciliationStatement } from './reporting/reconciliation/reconciliation-statement.contract';
import { createReconciliationStatements } from './reporting/reconciliation/reconciliation-statement.service';
import { createTermSumsStore } from './reporting/reconciliation/term-sums.store';
import { composeBankStatements } from './services-and-work.feature';
import { listSettlements } from './settlement-lists/settlement-lists.contract';
import { createSettlementListsStore } from './settlement-lists/settlement-lists.store';
import { statementReadings } from './statement-readings.store';
import { uploadsContract } from './uploads/uploads.contract';

/** The number of entries that are shown with a contribution. */
const entriesOfContribution = 100;

function serve(process: ServiceProcess, core: Core): ServedFeature {
  const { database } = process;
  const { contributions } = core;
  const composed = composeBankStatements(process, core);
  const { uploads, wakeDays: wake } = composed;
  const accounts = createCalendarStore(database);
  const calendars = createAccountCalendars(accounts);
  const facts = createDayFactsStore(database);
  const lines = createReportLinesStore(database);
  const source = {
    ...createAccountPositionsStore(database),
    ...createRecordedReturnsStore(database),
    ...createAccountCoverage(accounts, calendars),
    entriesOf: async (viewer: number, transactionId: string) =>
      lines.lines(viewer, await lines.ofContribution(viewer, transactionId, entriesOfContribution)),
  };
  const counting = startOpenPositions(
    {
      store: createOpenPositionsStore(database),
      positionPages: createPositionPages(source, createContributionsListStore(database)),
      clock: systemClock,
    },
    process.logger,
  );
  return {
    routes(routes) {
      bankStatementsRoutes(routes, {
        ...composed,
        accounts: createAccountsService({
          ...{ accounts, calendars, settings: createAccountsStore(database), wake },
        }),
        days: createDaysService({ accounts, calendars, facts }),
        questions: createQuestionsService({
          ...{ accounts, calendars, facts },
          lost: createLostDecisionsStore(database),
        }),
        lines: createLinesService(createLineListsStore(database), lines),
        reconciliations: createReconciliationStatements(calendars, createTermSumsStore(database)),
        positions: createPositionsService(source, contributions),
        settlements: createSettlementListsStore(database),
        hasFile: async (environmentId, uploadId) =>
          (await uploads.find({ environmentId, uploadId })) !== undefined,
      });
    },
    readings: [...statementReadings(database), openPositionsReading(database)],
    stop: () => Promise.all([composed.stop(), counting.stop()]),
  };
}

/** Bank statements: reads files, compares their days in the background, and shows positions. */
export const bankStatementsFeature: Feature = {
  name: 'bank-statements',
  scopes: statementScopes,
  errors: statementErrors,
  contracts: () => [
    ...Object.values(uploadsContract),
    listSettlements,
    ...Object.values(accountsContract),
    ...Object.values(accountRulesContract),
    ...Object.values(answersContract),
    ...Object.values(lineDecisionsContract),
    ...Object.values(monthsContract),
    ...Object.values(daysContract),
    ...Object.values(linesContract),
    getReconciliationStatement,
    ...Object.values(positionsContract),
  ],
  checks: statementChecks,
  findings: statementFindings,
  commands: [
    { before: 'users', create: statementsCommand },
    { before: 'users', create: reconciliationCommand },
  ],
  create: (process) => ({ serve: (core) => serve(process, core) }),
};
