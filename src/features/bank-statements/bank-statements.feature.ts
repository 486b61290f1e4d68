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
import { daysContract } from './reporting/days/days.contract';
import { linesContract } from './reporting/lines/lines.contract';
import { startOpenPositions } from './reporting/positions/open-positions';
import { createOpenPositionsStore, openPositionsReading } from './reporting/positions/open-positions.store';
import { createPositionPages } from './reporting/positions/position-pages';
import { positionsContract } from './reporting/positions/positions.contract';
import { createPositionsService } from './reporting/positions/positions.service';
import { getReconciliationStatement } from './reporting/reconciliation/reconciliation-statement.contract';
import { composeReporting } from './reporting/reporting.feature';
import { composeBankStatements } from './services-and-work.feature';
import { listSettlements } from './settlement-lists/settlement-lists.contract';
import { createSettlementListsStore } from './settlement-lists/settlement-lists.store';
import { statementReadings } from './statement-readings.store';
import { uploadsContract } from './uploads/uploads.contract';

function serve(process: ServiceProcess, core: Core): ServedFeature {
  const { database } = process;
  const { contributions } = core;
  const composed = composeBankStatements(process, core);
  const { uploads, wakeDays: wake } = composed;
  const { accounts, calendars, positions, ...reports } = composeReporting(database);
  const counting = startOpenPositions(
    {
      store: createOpenPositionsStore(database),
      positionPages: createPositionPages(positions, createContributionsListStore(database)),
      clock: systemClock,
    },
    process.logger,
  );
  return {
    routes(routes) {
      bankStatementsRoutes(routes, {
        ...composed,
        ...reports,
        accounts: createAccountsService({
          ...{ accounts, calendars, settings: createAccountsStore(database), wake },
        }),
        positions: createPositionsService(positions, contributions),
        clock: systemClock,
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
