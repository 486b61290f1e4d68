import type { Core, Feature, ServedFeature, ServiceProcess } from '../../feature';
import { createPositionsService } from '../statements/positions.service';
import { createRecordedReturnsStore } from '../statements/recorded-returns.store';
import { statementErrors } from '../statements/statements.errors';
import { statementScopes } from '../statements/statements.scopes';
import { accountRulesContract } from './accounts/account-rules.contract';
import { accountsContract } from './accounts/accounts.contract';
import { createAccountsService } from './accounts/accounts.service';
import { createAccountsStore } from './accounts/accounts.store';
import { answersContract } from './answers/answers.contract';
import { lineDecisionsContract } from './decisions/line-decisions.contract';
import { monthsContract } from './months/months.contract';
import { bankStatementsRoutes } from './bank-statements.router';
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
import { positionsContract } from './reporting/positions/positions.contract';
import { getReconciliationStatement } from './reporting/reconciliation/reconciliation-statement.contract';
import { createReconciliationStatements } from './reporting/reconciliation/reconciliation-statement.service';
import { createTermSumsStore } from './reporting/reconciliation/term-sums.store';
import { composeBankStatements } from './services-and-work.feature';
import { uploadsContract } from './uploads/uploads.contract';

/** The number of entries that are shown with a contribution. */
const entriesOfContribution = 100;

function serve(process: ServiceProcess, core: Core): ServedFeature {
  const { database } = process;
  const { contributions } = core;
  const composed = composeBankStatements(process, core);
  const { uploads, decisions, answers, months, rules, numbers, wakeDays: wake, stop } = composed;
  const accounts = createCalendarStore(database);
  const calendars = createAccountCalendars(accounts);
  const facts = createDayFactsStore(database);
  const lines = createReportLinesStore(database);
  const positions = createPositionsService(
    {
      ...createAccountPositionsStore(database),
      ...createRecordedReturnsStore(database),
      ...createAccountCoverage(accounts, calendars),
      entriesOf: async (viewer: number, transactionId: string) =>
        lines.lines(viewer, await lines.ofContribution(viewer, transactionId, entriesOfContribution)),
    },
    contributions,
  );
  return {
    routes(routes) {
      bankStatementsRoutes(routes, {
        ...{ uploads, decisions, answers, months, rules, numbers },
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
        positions,
        hasFile: async (environmentId, uploadId) =>
          (await uploads.find({ environmentId, uploadId })) !== undefined,
      });
    },
    stop,
  };
}

/** Bank statements by account-days. Nothing registers it yet: it will replace `statements`. */
export const bankStatementsFeature: Feature = {
  name: 'bank-statements',
  scopes: statementScopes,
  errors: statementErrors,
  contracts: () => [
    ...Object.values(uploadsContract),
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
  create: (process) => ({ serve: (core) => serve(process, core) }),
};
