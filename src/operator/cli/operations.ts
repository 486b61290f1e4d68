import { listScopes } from '../../contracts';
import type { Statements } from '../../db/operator-transaction';
import { createCatalogueProjectsStore } from '../catalogue-import/catalogue-projects.store';
import { createCatalogueStoriesStore } from '../catalogue-import/catalogue-stories.store';
import { type CatalogueService, createCatalogueService } from '../catalogue-import/catalogue.service';
import { createCatalogueStore } from '../catalogue-import/catalogue.store';
import { createImportService, type ImportService } from '../catalogue-import/import.service';
import {
  type CompaniesOverviewStore,
  createCompaniesOverviewStore,
} from '../../modules/companies/companies-overview.store';
import { createBankLinksLookupStore } from '../../modules/companies/bank-links-lookup.store';
import { type BankLinksService, createBankLinksService } from '../../modules/companies/bank-links.service';
import { createBankLinksStore } from '../../modules/companies/bank-links.store';
import { type CompaniesService, createCompaniesService } from '../../modules/companies/companies.service';
import { createCompaniesStore } from '../../modules/companies/companies.store';
import { createContributionsListStore } from '../../modules/contributions/contributions-list.store';
import { pepperList, type Peppers } from '../../modules/key-pairs/credentials';
import { createKeyPairLifecycleStore } from '../../modules/key-pairs/key-pair-lifecycle.store';
import { createKeyPairsService, type KeyPairsService } from '../../modules/key-pairs/key-pairs.service';
import { createListedKeyPairsStore } from '../../modules/key-pairs/listed-key-pairs.store';
import { createRateLimitsStore } from '../../modules/key-pairs/rate-limits.store';
import {
  type BankStatementsService,
  createBankStatementsService,
} from '../bank-statements/bank-statements.service';
import { createBankStatementsStore } from '../bank-statements/bank-statements.store';
import {
  createReconciliationReportService,
  type ReconciliationReportService,
} from '../reconciliation-report/reconciliation-report.service';
import { type CorrectionsStore, createCorrectionsStore } from '../contribution-lookup/corrections.store';
import { type DisputeKind, disputeKinds } from '../contribution-lookup/dispute-kinds';
import { createDisputesService, type DisputesService } from '../contribution-lookup/disputes.service';
import { createDisputesStore } from '../contribution-lookup/disputes.store';
import { createFailedEventsStore, type FailedEventsStore } from '../contribution-lookup/failed-events.store';
import { createFeedLookupStore, type FeedLookupStore } from '../contribution-lookup/feed-lookup.store';
import { createKeyActivityStore, type KeyActivityStore } from '../contribution-lookup/key-activity.store';
import { createEventLookupStore, type EventLookupStore } from '../contribution-lookup/event-lookup.store';
import {
  createTransactionLookupStore,
  type TransactionLookupStore,
} from '../contribution-lookup/transaction-lookup.store';
import {
  createPositionLookupService,
  type PositionLookupService,
} from '../contribution-lookup/position-lookup.service';
import {
  createTransactionExportStore,
  type TransactionExportStore,
} from '../contribution-lookup/transaction-export.store';
import { createTotalsLookupStore, type TotalsLookupStore } from '../contribution-lookup/totals-lookup.store';
import { createOperatorActionsStore, type OperatorActionsStore } from '../audit/operator-actions.store';
import { createRecountStore, type RecountStore } from '../../modules/project-figures/recount.store';
import {
  createRetiredEnvironmentsStore,
  type RetiredEnvironmentsStore,
} from '../../modules/sandbox/retired-environments.store';
import { createLaterChangesStore } from '../../modules/statements/later-changes.store';
import { parseFile } from '../../modules/statements/parse-in-worker';
import { createPositionPages } from '../../modules/statements/position-pages';
import { createPositionsStore } from '../../modules/statements/positions.store';
import { createStatedContributionsStore } from '../../modules/statements/stated-contributions.store';
import { createStatementFilesStore } from '../../modules/statements/statement-files.store';
import { createStatementImportStore } from '../../modules/statements/statement-import.store';
import { createStatementImports } from '../../modules/statements/statement-imports.service';
import {
  createOperatorEndpointsStore,
  type OperatorEndpointsStore,
} from '../../modules/webhooks/operator-endpoints.store';
import { createSendLimits } from '../../modules/webhooks/send-limits';
import { endpointNotFound } from '../../modules/webhooks/webhook-endpoints.service';
import {
  createWebhookReplaysService,
  type WebhookReplaysService,
} from '../../modules/webhooks/webhook-replays.service';
import { createWebhookReplaysStore } from '../../modules/webhooks/webhook-replays.store';
import { systemClock } from '../../shared/clock';
import { createUsersService, type UsersService } from '../../modules/users/users.service';
import { createUsersStore } from '../../modules/users/users.store';

/** Everything an operator's command can do, within one transaction. */
export interface Operations {
  companies: CompaniesService;
  bankLinks: BankLinksService;
  companiesOverview: CompaniesOverviewStore;
  keyPairs: KeyPairsService;
  transactions: TransactionLookupStore;
  transactionExport: TransactionExportStore;
  totals: TotalsLookupStore;
  positionLookup: PositionLookupService;
  bankStatements: BankStatementsService;
  reconciliationReport: ReconciliationReportService;
  events: EventLookupStore;
  keyActivity: KeyActivityStore;
  feeds: FeedLookupStore;
  failedEvents: FailedEventsStore;
  corrections: CorrectionsStore;
  disputes: Disputes;
  catalogue: CatalogueService;
  catalogueImport: ImportService;
  projectFigures: RecountStore;
  users: UsersService;
  retiredEnvironments: RetiredEnvironmentsStore;
  webhookEndpoints: OperatorEndpointsStore;
  webhookReplays: Pick<WebhookReplaysService, 'create' | 'cancelRunning'>;
  actions: OperatorActionsStore;
}

type Disputes = Readonly<Record<keyof typeof disputeKinds, DisputesService>>;

function createDisputes(statements: Statements): Disputes {
  const of = (kind: DisputeKind) => createDisputesService(createDisputesStore(statements, kind), kind);
  const { mismatches, contested, repeated } = disputeKinds;
  return { mismatches: of(mismatches), contested: of(contested), repeated: of(repeated) };
}

const bankLinksOf = (statements: Statements, companies: CompaniesService): BankLinksService =>
  createBankLinksService(companies, createBankLinksStore(statements), createBankLinksLookupStore(statements));

const keyPairsOf = (statements: Statements, companies: CompaniesService, peppers: Peppers): KeyPairsService =>
  createKeyPairsService({
    companies,
    lifecycle: createKeyPairLifecycleStore(statements),
    listed: createListedKeyPairsStore(statements),
    peppers,
    scopes: listScopes(),
  });

/** Creates the services and stores of the commands. No other file does this. */
export function createOperations(statements: Statements, peppers: Peppers): Operations {
  const catalogueStore = createCatalogueStore(statements);
  const companies = createCompaniesService(
    createCompaniesStore(statements),
    createRateLimitsStore(statements),
  );
  const totals = createTotalsLookupStore(statements);
  const transactions = createTransactionLookupStore(statements);
  const statementsStore = createBankStatementsStore(statements);
  const positions = createPositionsStore(statements);
  const positionLookup = createPositionLookupService(
    companies,
    createPositionPages(positions, createContributionsListStore(statements)),
    positions,
  );
  return {
    companies,
    bankLinks: bankLinksOf(statements, companies),
    keyPairs: keyPairsOf(statements, companies, peppers),
    catalogue: createCatalogueService(
      catalogueStore,
      createCatalogueProjectsStore(statements),
      createCatalogueStoriesStore(statements),
    ),
    catalogueImport: createImportService(catalogueStore),
    companiesOverview: createCompaniesOverviewStore(statements),
    transactions,
    transactionExport: createTransactionExportStore(statements),
    totals,
    positionLookup,
    reconciliationReport: createReconciliationReportService({
      companies,
      positions: positionLookup,
      statements: statementsStore,
      totals,
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
      store: statementsStore,
    }),
    events: createEventLookupStore(statements),
    keyActivity: createKeyActivityStore(statements),
    feeds: createFeedLookupStore(statements),
    failedEvents: createFailedEventsStore(statements),
    projectFigures: createRecountStore(statements),
    corrections: createCorrectionsStore(statements, transactions),
    disputes: createDisputes(statements),
    users: createUsersService(companies, createUsersStore(statements)),
    retiredEnvironments: createRetiredEnvironmentsStore(statements),
    webhookEndpoints: createOperatorEndpointsStore(statements),
    // Only the service needs WEBHOOK_SECRET_KEYS, to send. A command may run without it.
    webhookReplays: createWebhookReplaysService({
      store: createWebhookReplaysStore(statements),
      rejectUnknown: () => Promise.reject(endpointNotFound()),
      ...{ limits: createSendLimits(), isConfigured: true },
    }),
    actions: createOperatorActionsStore(statements),
  };
}
