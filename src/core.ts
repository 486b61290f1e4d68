import type { Core, ServedFeature, ServiceProcess } from './feature';
import type { EndpointContract } from './http/contract';
import { loggable } from './http/errors/loggable-error';
import { readNumber } from './metrics/readings';
import { createCompletionBatches } from './modules/contributions/completion-batches.service';
import type { AmountLimits } from './modules/contributions/contribution.fields';
import { createContributionsListStore } from './modules/contributions/contributions-list.store';
import { contributionsContract } from './modules/contributions/contributions.contract';
import { contributionsRoutes } from './modules/contributions/contributions.router';
import { createContributionsService } from './modules/contributions/contributions.service';
import {
  type ContributionsStore,
  createContributionsStore,
} from './modules/contributions/contributions.store';
import { pendingContributionsReading } from './modules/contributions/pending-contributions.store';
import { expiringKeyPairsReading } from './modules/key-pairs/expiring-key-pairs.store';
import { linksContract } from './modules/links/links.contract';
import { linksRoutes } from './modules/links/links.router';
import { createLinksStore } from './modules/links/links.store';
import { createCallerReadModel } from './modules/me/caller.read-model';
import { meContract } from './modules/me/me.contract';
import { type MeDependencies, meRoutes } from './modules/me/me.router';
import { ordersContract } from './modules/orders/orders.contract';
import { ordersRoutes } from './modules/orders/orders.router';
import { createProjectFiguresStore } from './modules/project-figures/project-figures.store';
import { projectsStoriesContract } from './modules/projects-stories/projects-stories.contract';
import { createProjectsStoriesReadModel } from './modules/projects-stories/projects-stories.read-model';
import { projectsStoriesRoutes } from './modules/projects-stories/projects-stories.router';
import { projectsContract } from './modules/projects/projects.contract';
import { projectsRoutes } from './modules/projects/projects.router';
import { createProjectsService } from './modules/projects/projects.service';
import { createProjectsStore } from './modules/projects/projects.store';
import { storiesContract } from './modules/stories/stories.contract';
import { storiesRoutes } from './modules/stories/stories.router';
import { createStoriesService } from './modules/stories/stories.service';
import { createStoriesStore } from './modules/stories/stories.store';
import type { Scope } from './shared/scopes';
import { systemClock } from './shared/clock';
import { keepAddedUp } from './shared/keep-added-up';

const figuresIntervalMs = 15_000;

/** What some contracts depend on. */
export interface ContractFacts {
  /** The limits of the installation. */
  limits: AmountLimits;
  /** All scopes that a key pair can have. */
  scopes: readonly Scope[];
}

const dependentContracts = ({ limits, scopes }: ContractFacts) => ({
  orders: ordersContract(limits),
  contributions: contributionsContract(limits),
  me: meContract(scopes),
});

/** The contracts of what the specification asks for, and of what callers may know of themselves. */
export function coreContracts(facts: ContractFacts): EndpointContract[] {
  const { orders, contributions, me } = dependentContracts(facts);
  return [
    projectsContract,
    projectsStoriesContract,
    storiesContract,
    orders,
    contributions,
    linksContract,
    me,
  ].flatMap((contracts) => Object.values<EndpointContract>(contracts));
}

export interface CoreDependencies extends Omit<Core, 'contributions' | 'contributionsStore' | 'projects'> {
  facts: ContractFacts;
  /** Wraps the store to count the outcomes. */
  counting: (store: ContributionsStore) => ContributionsStore;
  rateOf: MeDependencies['rateOf'];
}

/** Tells other parts of the process about new contributions. */
const announcing = (
  store: ContributionsStore,
  { contributionCreated }: ServiceProcess['signals'],
): ContributionsStore => ({
  ...store,
  async create(principal, contribution) {
    const outcome = await store.create(principal, contribution);
    if (outcome.kind === 'created') contributionCreated.send(principal.environmentId);
    return outcome;
  },
});

/** Builds the core: services, operations, and the work that keeps the figures of projects. */
export function createCore(
  process: ServiceProcess,
  dependencies: CoreDependencies,
): { core: Core; served: Required<Pick<ServedFeature, 'routes' | 'readings' | 'stop'>> } {
  const { database, logger, config } = process;
  const { facts, counting, publicBaseUrl } = dependencies;
  const contributionsStore = counting(
    announcing(createContributionsStore(database, systemClock), process.signals),
  );
  const contributions = createContributionsService(
    contributionsStore,
    createContributionsListStore(database),
  );
  const projects = createProjectsService(createProjectsStore(database));
  const links = createLinksStore(database);
  const figures = createProjectFiguresStore(database);
  const keptFigures = keepAddedUp(
    figures,
    (error) => {
      logger.warn({ error: loggable(error) }, 'project figures not updated');
    },
    figuresIntervalMs,
  );
  return {
    core: { ...dependencies, contributions, contributionsStore, projects },
    served: {
      routes(routes) {
        const contracts = dependentContracts(facts);
        projectsRoutes(routes, projects, publicBaseUrl);
        projectsStoriesRoutes(routes, createProjectsStoriesReadModel(database), publicBaseUrl);
        storiesRoutes(routes, createStoriesService(createStoriesStore(database)), publicBaseUrl);
        ordersRoutes(routes, contracts.orders, contributions, publicBaseUrl);
        contributionsRoutes(
          routes,
          contracts.contributions,
          contributions,
          createCompletionBatches(contributionsStore),
          publicBaseUrl,
        );
        linksRoutes(routes, links);
        meRoutes(routes, {
          contract: contracts.me,
          ...dependencies,
          version: dependencies.site.version,
          callers: createCallerReadModel(database),
          links,
        });
      },
      readings: [
        expiringKeyPairsReading(database),
        pendingContributionsReading(database, config.OVERDUE_AFTER_HOURS),
        readNumber(
          'contribution_project_figures_oldest_change_age_seconds',
          'Age of the oldest completion that is not yet added to the figures of its project; 0 if there is none.',
          figures.oldestChangeAgeSeconds,
        ),
      ],
      stop: keptFigures.stop,
    },
  };
}
