import type { Routes } from '../../http/routes';
import { ServiceError } from '../../shared/errors';
import type { Principal } from '../../shared/scopes';
import { digestOfFilters, writePageCursor } from '../../core/contributions/contributions.cursor';
import { replayHeader } from '../../core/contributions/replay-header';
import { judgeDays } from './account-days';
import { listAccountDays } from './account-days.contract';
import { presentAccountDay } from './account-days.presenter';
import type { AccountDaysStore } from './account-days.store';
import { decisionsRoutes } from './decisions.router';
import type { DecisionsService } from './decisions.service';
import { defaultGraceDays } from './matching/grace-days.field';
import { presentPosition, presentSummary } from './positions.presenter';
import type { PositionsService } from './positions.service';
import { reconciliationContract } from './reconciliation.contract';
import { listSettlements } from './settlement-lists.contract';
import { readSettlementLists } from './settlement-lists';
import type { SettlementListsStore } from './settlement-lists.store';
import { statementAccountsContract } from './statement-accounts.contract';
import type { AccountRow, StatementAccountsStore } from './statement-accounts.store';
import type { StatementFilesStore } from './statement-files.store';
import type { StatementImports } from './statement-imports.service';
import type { StatementMatching } from './statement-matching';
import { statementsContract } from './statements.contract';
import { encodeCursor } from '../../shared/cursor';
import { pageByUuid } from '../../shared/uuid-cursor';
import {
  presentAccount,
  presentChecked,
  presentEntries,
  presentFiles,
  signedDollars,
} from './statements.presenter';

export interface StatementServices {
  imports: StatementImports;
  files: StatementFilesStore;
  matching: Pick<StatementMatching, 'wake'>;
  positions: PositionsService;
  accounts: StatementAccountsStore;
  accountDays: AccountDaysStore;
  settlements: SettlementListsStore;
  decisions: DecisionsService;
}

const fileNotFound = (): ServiceError =>
  new ServiceError('statement_not_found', {
    detail: 'Your environment has no uploaded file with this file_id.',
  });

/** Adds the operations of this module to the API. */
export function statementsRoutes(routes: Routes, services: StatementServices): void {
  settlementRoutes(routes, services);
  fileRoutes(routes, services);
  entryRoutes(routes, services.files);
  decisionsRoutes(routes, services.decisions);
  accountRoutes(routes, services);
  reconciliationRoutes(routes, services.positions);
}

async function read(files: StatementFilesStore, { environmentId }: Principal, fileId: string) {
  const [file] = presentFiles(await files.read(environmentId, fileId));
  if (!file) throw fileNotFound();
  return file;
}

function fileRoutes(routes: Routes, { imports, files, matching }: StatementServices): void {
  routes.bind(statementsContract.importStatement).to(async ({ principal, query, upload, addToLog }) => {
    const options = { account: query.account, direction: query.direction, mapping: query.mapping };
    if (query.dry_run === true) {
      const checked = await imports.check(principal, upload.bytes, options);
      return { status: 200, body: presentChecked(checked, new Date()) };
    }
    const { fileId, isReplay } = await imports.store(principal, upload.bytes, options);
    addToLog({ file_id: fileId });
    const body = await read(files, principal, fileId);
    // Wake the matching, because the process that stored the file may have stopped.
    if (body.state === 'stored') matching.wake();
    if (isReplay) return { status: 200, headers: replayHeader(true), body };
    return { status: 202, body };
  });

  routes.bind(statementsContract.listStatements).to(async ({ principal, query }) => {
    const rows = await files.list(principal.environmentId, query.cursor, query.limit + 1);
    return { status: 200, body: pageByUuid(presentFiles(rows), query.limit, (file) => file.file_id) };
  });

  routes.bind(statementsContract.getStatement).to(async ({ principal, params }) => ({
    status: 200,
    body: await read(files, principal, params.file_id),
  }));

  routes.bind(statementsContract.voidStatement).to(async ({ principal, params, body, addToLog }) => {
    await files.void(principal.environmentId, params.file_id, body.reason);
    const file = await read(files, principal, params.file_id);
    addToLog({ file_id: file.file_id });
    matching.wake();
    return { status: 200, body: file };
  });
}

function settlementRoutes(routes: Routes, { settlements, matching }: StatementServices): void {
  routes.bind(listSettlements).to(async ({ principal, upload }) => {
    const stored = [];
    for (const list of readSettlementLists(upload)) {
      const isNew = await settlements.put(principal.environmentId, principal.apiKey, list);
      stored.push({
        reference: list.reference,
        outcome: isNew ? ('stored' as const) : ('unchanged' as const),
        contributions: list.lines.length,
        amount: signedDollars(list.lines.reduce((sum, { cents }) => sum + cents, 0n)),
      });
    }
    matching.wake();
    return { status: 200, body: { settlements: stored } };
  });
}

function entryRoutes(routes: Routes, files: StatementFilesStore): void {
  routes.bind(statementsContract.listEntries).to(async ({ principal, params, query }) => {
    await read(files, principal, params.file_id);
    const { outcome, confidence, cursor: after, limit } = query;
    const rows = await files.entries(
      principal.environmentId,
      params.file_id,
      { outcome, confidence },
      { after, limit: limit + 1 },
    );
    return { status: 200, body: pageByUuid(presentEntries(rows), limit, (entry) => entry.entry_id) };
  });
}

const accountNotFound = (): ServiceError =>
  new ServiceError('statement_account_not_found', {
    detail: 'Your environment has no statements of an account with this account_id.',
  });

/** The accounts, with the days that their statements cover. */
async function presentAccounts(
  positions: PositionsService,
  environmentId: number,
  rows: readonly AccountRow[],
) {
  const ids = rows.map((row) => row.account_id);
  const covered = await positions.coveredDays(environmentId, ids);
  return rows.map((row) => presentAccount(row, covered.get(row.account_id)));
}

function accountRoutes(
  routes: Routes,
  { accounts, accountDays, matching, positions }: StatementServices,
): void {
  routes.bind(statementAccountsContract.list).to(async ({ principal, query }) => {
    const rows = await accounts.list(principal.environmentId, query.cursor, query.limit + 1);
    const found = await presentAccounts(positions, principal.environmentId, rows);
    return { status: 200, body: pageByUuid(found, query.limit, (account) => account.account_id) };
  });

  routes.bind(statementAccountsContract.set).to(async ({ principal, params, body }) => {
    const row = await accounts.set(principal.environmentId, params.account_id, {
      completeCoverage: body.complete_coverage,
      graceDays: body.grace_days ?? defaultGraceDays,
      direction: body.direction,
    });
    matching.wake();
    const [account] = await presentAccounts(positions, principal.environmentId, row ? [row] : []);
    if (!account) throw accountNotFound();
    return { status: 200, body: account };
  });

  routes.bind(listAccountDays).to(async ({ principal, params, query }) => {
    const { cursor: [from] = [query.from], to } = query;
    const told = await accountDays.read(principal.environmentId, params.account_id, { from, to });
    if (!told) throw accountNotFound();
    const { next } = told;
    return {
      status: 200,
      body: {
        data: judgeDays(told).map(presentAccountDay),
        has_more: next !== null,
        next_cursor: next && encodeCursor([next]),
      },
    };
  });
}

function reconciliationRoutes(routes: Routes, positions: PositionsService): void {
  routes.bind(reconciliationContract.list).to(async ({ principal, query, requestId, stopIfLeft }) => {
    const filter = {
      position: query.position,
      isOpen: query.open !== undefined,
      from: query.from,
      to: query.to,
    };
    const page = await positions.list(principal, filter, {
      limit: query.limit,
      after: query.cursor?.place,
      requestId,
      stopIfLeft,
    });
    const cursor = page.next && writePageCursor({ filters: digestOfFilters(query), place: page.next });
    return {
      status: 200,
      body: {
        data: page.positions.map(presentPosition),
        has_more: cursor !== undefined,
        next_cursor: cursor ?? null,
      },
    };
  });

  routes.bind(reconciliationContract.summary).to(async ({ principal, query, requestId, stopIfLeft }) => ({
    status: 200,
    body: presentSummary(await positions.all(principal, query, { requestId, stopIfLeft })),
  }));

  routes.bind(reconciliationContract.ofContribution).to(async ({ principal, params, addToLog }) => {
    const { position, entries } = await positions.get(principal, params.transaction_id);
    addToLog({ transaction_id: position.contribution.transactionId });
    return { status: 200, body: { ...presentPosition(position), entries: presentEntries(entries) } };
  });
}
