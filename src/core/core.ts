import type { Core, ServedFeature, ServiceProcess } from '../feature';
import type { EndpointContract } from '../http/contract';
import { loggable } from '../http/errors/loggable-error';
import { readNumber } from '../metrics/readings';
import { createCompletionBatches } from './contributions/completion-batches.service';
import type { AmountLimits } from './contributions/amount.field';
import { createContributionsListStore } from './contributions/contributions-list.store';
import { contributionsContract } from './contributions/contributions.contract';
import { contributionsRoutes } from './contributions/contributions.router';
import { createContributionsService } from './contributions/contributions.service';
import { type ContributionsStore, createContributionsStore } from './contributions/contributions.store';
import { pendingContributionsReading } from './contributions/pending-contributions.store';
import { expiringKeyPairsReading } from './key-pairs/expiring-key-pairs.store';
import { linksContract } from './links/links.contract';
import { linksRoutes } from './links/links.router';
import { createLinksStore } from './links/links.store';
import { createCallerReadModel } from './me/caller.read-model';
import { meContract } from './me/me.contract';
import { type MeDependencies, meRoutes } from './me/me.router';
import { ordersContract } from './orders/orders.contract';
import { ordersRoutes } from './orders/orders.router';
import { createProjectFiguresStore } from './project-figures/project-figures.store';
import { projectsStoriesContract } from './projects-stories/projects-stories.contract';
import { createProjectsStoriesReadModel } from './projects-stories/projects-stories.read-model';
import { projectsStoriesRoutes } from './projects-stories/projects-stories.router';
import { projectsContract } from './projects/projects.contract';
import { projectsRoutes } from './projects/projects.router';
import { createProjectsStore } from './projects/projects.store';
import { storiesContract } from './stories/stories.contract';
import { storiesRoutes } from './stories/stories.router';
import { createStoriesStore } from './stories/stories.store';
import type { Scope } from '../shared/scopes';
import { systemClock } from '../shared/clock';
import { maintainSums } from '../shared/maintain-sums';

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

/** Builds the core: services, operations, and the work that keeps the figures of projects. */
export function createCore(
  process: ServiceProcess,
  dependencies: CoreDependencies,
): { core: Core; served: Required<Pick<ServedFeature, 'routes' | 'readings' | 'stop'>> } {
  const { database, logger, config } = process;
  const { facts, counting, publicBaseUrl } = dependencies;
  const contributionsStore = counting(createContributionsStore(database, systemClock));
  const contributions = createContributionsService(
    contributionsStore,
    createContributionsListStore(database),
  );
  const projects = createProjectsStore(database);
  const links = createLinksStore(database);
  const figures = createProjectFiguresStore(database);
  const keptFigures = maintainSums(
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
        storiesRoutes(routes, createStoriesStore(database), publicBaseUrl);
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
