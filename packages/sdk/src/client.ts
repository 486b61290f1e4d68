import type { Environment } from './credentials.js';
import type { Recovery } from './intents.js';
import { type CallOptions, checkOptions, type ContributionServiceOptions } from './options.js';
import { Bank } from './resources/bank.js';
import { Contributions } from './resources/contributions.js';
import { Events } from './resources/events.js';
import { Links } from './resources/links.js';
import { Me } from './resources/me.js';
import { Projects } from './resources/projects.js';
import { ProjectsStories } from './resources/projects-stories.js';
import { Reconciliation } from './resources/reconciliation.js';
import { Sandbox } from './resources/sandbox.js';
import { Statements } from './resources/statements.js';
import { Stories } from './resources/stories.js';
import { WebhookEndpoints } from './resources/webhook-endpoints.js';
import { Settler } from './settle.js';
import { Transport } from './transport.js';

/** Reads the transport of a client, which no other module can. */
let transportOf: (client: ContributionCore) => Transport;

/**
 * The client without `statements` and `reconciliation`, for a program whose size matters, such as a
 * Worker. Bundled and minified, it has at most 32 KiB.
 *
 * @throws InvalidInput if an option is missing or wrong; the message says what to do
 * @example
 * const client = new ContributionCore();
 */
export class ContributionCore {
  static {
    transportOf = (client) => client.#transport;
  }

  // `declare` emits no code. The constructor sets each of these.
  /** The environment of the key pair. */
  declare readonly environment: Environment;
  declare readonly projects: Projects;
  declare readonly projectsStories: ProjectsStories;
  declare readonly stories: Stories;
  declare readonly contributions: Contributions;
  declare readonly bank: Bank;
  declare readonly events: Events;
  declare readonly links: Links;
  declare readonly me: Me;
  declare readonly webhookEndpoints: WebhookEndpoints;
  declare readonly sandbox: Sandbox;
  readonly #transport: Transport;
  readonly #settler: Settler;

  constructor(options: ContributionServiceOptions = {}) {
    const settings = checkOptions(options);
    this.environment = settings.environment;
    const transport = new Transport(settings);
    this.#transport = transport;
    const settler = new Settler(transport, settings, options);
    this.#settler = settler;
    this.projects = new Projects(transport);
    this.projectsStories = new ProjectsStories(transport);
    this.stories = new Stories(transport);
    this.events = new Events(transport, settings.environment);
    this.webhookEndpoints = new WebhookEndpoints(transport);
    this.links = new Links(transport);
    this.me = new Me(transport);
    this.contributions = new Contributions(transport, settler);
    this.sandbox = new Sandbox(transport);
    this.bank = new Bank(transport, settler);
  }

  /**
   * Sends again every stored request whose outcome is unknown: creates, completions, returns, undos
   * and corrections. Call it when the program starts, and later while `remaining` is not empty. It
   * records nothing twice, and it may run in several processes at once.
   *
   * It sends requests of another pair only if `companyApiKeys` contains its key. Other requests
   * remain, with an error that says so.
   *
   * @throws InvalidInput without a store
   * @example
   * const { rejected, remaining } = await client.recover();
   */
  recover(options?: CallOptions): Promise<Recovery> {
    return this.#settler.recover(options);
  }
}

/**
 * The client for one key pair, whose resources send the requests. Create one and keep it: it holds
 * no connection and needs no closing. Without options, it reads the environment variables
 * `CONTRIBUTION_API_URL`, `CONTRIBUTION_API_KEY` and `CONTRIBUTION_API_SECRET`, and accepts only a
 * test pair.
 *
 * @throws InvalidInput if an option is missing or wrong; the message says what to do
 * @example
 * const client = new ContributionService();
 * const production = new ContributionService({
 *   apiUrl: 'https://api.example.org/company/integration',
 *   apiKey: process.env.SHOP_API_KEY,
 *   apiSecret: process.env.SHOP_API_SECRET,
 *   expectEnvironment: 'production',
 * });
 */
export class ContributionService extends ContributionCore {
  readonly statements: Statements;
  readonly reconciliation: Reconciliation;

  constructor(options: ContributionServiceOptions = {}) {
    super(options);
    const transport = transportOf(this);
    this.statements = new Statements(transport);
    this.reconciliation = new Reconciliation(transport);
  }
}
