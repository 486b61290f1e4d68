import type { Routes } from '../../http/routes';
import type { Clock } from '../../shared/clock';
import { accountRulesRoutes } from './accounts/account-rules.router';
import { accountsRoutes } from './accounts/accounts.router';
import type { AccountsService } from './accounts/accounts.service';
import { answersRoutes } from './answers/answers.router';
import type { BankStatements } from './services-and-work.feature';
import { lineDecisionsRoutes } from './decisions/line-decisions.router';
import { monthsRoutes } from './months/months.router';
import { settlementListsRoutes } from './settlement-lists/settlement-lists.router';
import type { SettlementListsStore } from './settlement-lists/settlement-lists.store';
import { uploadsRoutes } from './uploads/uploads.router';
import type { PositionsService } from './reporting/positions/positions.service';
import { daysRoutes } from './reporting/days/days.router';
import type { DaysService } from './reporting/days/days.service';
import type { QuestionsService } from './reporting/days/questions.service';
import { type HasFile, linesRoutes } from './reporting/lines/lines.router';
import type { LinesService } from './reporting/lines/lines.service';
import { positionsRoutes } from './reporting/positions/positions.router';
import { reconciliationStatementRoutes } from './reporting/reconciliation/reconciliation-statement.router';
import type { ReconciliationStatements } from './reporting/reconciliation/reconciliation-statement.service';

export interface BankStatementServices extends Pick<
  BankStatements,
  'uploads' | 'uploadCheck' | 'decisions' | 'answers' | 'months' | 'rules' | 'numbers' | 'follow'
> {
  accounts: AccountsService;
  days: DaysService;
  questions: QuestionsService;
  lines: LinesService;
  reconciliations: ReconciliationStatements;
  positions: PositionsService;
  settlements: SettlementListsStore;
  hasFile: HasFile;
  clock: Clock;
}

/** Adds the operations of this module to the API. */
export function bankStatementsRoutes(routes: Routes, services: BankStatementServices): void {
  uploadsRoutes(routes, services);
  settlementListsRoutes(routes, services.settlements, services.follow);
  accountsRoutes(routes, services.accounts);
  accountRulesRoutes(routes, { ...services, accounts: services.days });
  answersRoutes(routes, services.answers, services.days);
  lineDecisionsRoutes(routes, services.decisions, services.lines);
  monthsRoutes(routes, services.months);
  daysRoutes(routes, services.days, services.questions);
  linesRoutes(routes, services.lines, { accounts: services.days, hasFile: services.hasFile });
  reconciliationStatementRoutes(routes, services.reconciliations, services.days);
  positionsRoutes(routes, services.positions, services.clock);
}
