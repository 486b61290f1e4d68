import type { RequestHandler } from 'express';

import type { Config } from './read-settings';
import type { PooledDatabase } from './db/pool/database';
import type { DemoKeyPairs } from './features/documentation/try-form';
import type { EndpointContract } from './http/contract';
import type { CatalogEntry } from './http/errors/catalog-entry';
import type { ErrorCatalog } from './http/errors/error-catalog';
import type { FaultSource } from './http/faults/request-fault';
import type { WebhookContract } from './http/openapi';
import type { OnTestRequest } from './http/request/request-records';
import type { Routes } from './http/routes';
import type { MetricsOfFeature } from './metrics/feature-metrics';
import type { Reading } from './metrics/readings';
import type { ContributionsService } from './core/contributions/contributions.service';
import type { ContributionsStore } from './core/contributions/contributions.store';
import type { Peppers } from './core/key-pairs/credentials';
import type { ProjectsStore } from './core/projects/projects.store';
import type { AddedCommand } from './operator/cli/added-command';
import type { Findings } from './operator/cli/doctor/finding';
import type { VerificationCheck } from './operator/verification/verification-check';
import type { Logger } from './shared/logger';
import type { ScopeRules } from './shared/scopes';
import type { SettingShape, SettingValues } from './shared/setting';
import { createSignal, type Signal } from './shared/signal';

/**
 * A part of the service beside the core. The core runs without any. `features.ts` lists all of
 * them.
 */
export interface Feature<Shape extends SettingShape = SettingShape> {
  readonly name: string;
  /**
   * The contracts of its operations.
   *
   * @param earlier the operations of the core and of the features before this one
   */
  readonly contracts?: (earlier: readonly EndpointContract[]) => readonly EndpointContract[];
  /** The requests that it sends to partners. */
  readonly messages?: readonly WebhookContract[];
  /** The permissions of key pairs that its operations need beside those of the core. */
  readonly scopes?: Readonly<Record<string, ScopeRules>>;
  /** The errors that it adds to those of the core. */
  readonly errors?: Readonly<Record<string, CatalogEntry>>;
  /** The settings that only it uses. */
  readonly settings?: Shape;
  /** Checks of its stored data, for the command `verify`. */
  readonly checks?: readonly VerificationCheck[];
  /** What the command `doctor` finds out about it. */
  readonly findings?: Findings<Shape>;
  /** Its commands for operators. */
  readonly commands?: readonly AddedCommand[];
  /** Builds its part of a process. Starts nothing. */
  // A method, so that features with different settings are in one list.
  create(process: ServiceProcess, settings: SettingValues<Shape>): FeatureInProcess;
}

/** The process that runs features: the service, or the separate process of deliveries. */
export interface ServiceProcess {
  /** The settings of the process without those of features. */
  readonly config: Config;
  /** Outside production: a key that is generated once and kept in a file of this name. */
  readonly storedKey: (name: string) => Map<number, Buffer>;
  readonly database: PooledDatabase;
  readonly logger: Logger;
  /** Where a feature adds its own metrics. */
  readonly metrics: MetricsOfFeature;
  /** The interval of background work, instead of the usual intervals, for tests. */
  readonly pollMs: number | undefined;
  /** At shutdown, work that waits for others gets this time. */
  readonly stopWithinMs: number;
  readonly signals: Signals;
}

/** What parts of a process tell each other. Nothing depends on its arrival. */
export interface Signals {
  /** This process has written events to the feeds. */
  readonly eventsWritten: Signal<[]>;
  /** A fault of this kind changed a request or a delivery of a test environment. */
  readonly faultInjected: Signal<[kind: string]>;
}

export const createSignals = (): Signals => ({
  eventsWritten: createSignal(),
  faultInjected: createSignal(),
});

/** What a feature does in one process. */
export interface FeatureInProcess {
  /** Starts its part of delivery: writing events to the feeds and sending them to receivers. */
  readonly deliver?: () => void;
  /** Starts its background work and adds its operations to the API. Only in the service. */
  readonly serve?: (core: Core) => ServedFeature;
  /** Stops its part of delivery, and waits for its end. */
  readonly stop?: () => Promise<unknown>;
}

export interface ServedFeature {
  /** Binds its operations. */
  readonly routes?: (routes: Routes) => void;
  /** Makes requests of test environments fail. At most one feature does this. */
  readonly faults?: FaultSource;
  /** Takes every ended request of a test environment. Must be fast. At most one feature does. */
  readonly onTestRequest?: OnTestRequest | undefined;
  readonly readings?: readonly Reading[];
  /** Handles further paths, after those of the operations. */
  readonly pages?: RequestHandler;
  /** Prepares what the first request would otherwise wait for. @throws Error if it cannot work */
  readonly warm?: () => void;
  /** Stops its background work, and waits for its end. */
  readonly stop?: () => Promise<unknown>;
}

/** What the core offers to features. */
export interface Core {
  readonly publicBaseUrl: string;
  readonly site: { readonly version: string; readonly productName: string };
  /** The demo's key pairs, which pages show to a browser on this machine. */
  readonly demo: DemoKeyPairs | undefined;
  /** The contracts of all operations, and the requests that the service sends to partners. */
  readonly listContracts: () => readonly EndpointContract[];
  readonly listMessages: () => readonly WebhookContract[];
  /** The errors of the core and of all features. */
  readonly errors: ErrorCatalog;
  readonly peppers: Peppers;
  readonly isShuttingDown: () => boolean;
  readonly contributions: ContributionsService;
  readonly contributionsStore: ContributionsStore;
  readonly projects: ProjectsStore;
  /** Makes this process read a key pair again. */
  readonly forgetKeyPair: (apiKey: string) => void;
}
