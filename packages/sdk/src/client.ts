import { type Call, start } from './call.js';
import { checkOptionalUserHash } from './checks.js';
import type { Environment } from './credentials.js';
import type { GetProjectsAndStoriesResponse } from './generated/api.js';
import type { Recovery } from './intents.js';
import { hasData } from './list.js';
import { type CallOptions, checkOptions, type ClientOptions } from './options.js';
import { Bank } from './resources/bank.js';
import { Contributions } from './resources/contributions.js';
import { Events } from './resources/events.js';
import { Links } from './resources/links.js';
import { Projects } from './resources/projects.js';
import { Reconciliation } from './resources/reconciliation.js';
import { Sandbox } from './resources/sandbox.js';
import { Statements } from './resources/statements.js';
import { Stories } from './resources/stories.js';
import { WebhookEndpoints } from './resources/webhook-endpoints.js';
import { Settler } from './settle.js';
import { Transport } from './transport.js';

/**
 * A client for one key pair. Create one and keep it: it holds no connection and needs no closing.
 *
 * @throws InvalidInput if an option is wrong; the message says what to do
 * @example
 * const client = new Client({
 *   apiKey: process.env.API_KEY,
 *   apiSecret: process.env.API_SECRET,
 *   baseUrl: 'https://api.example.org',
 *   expectEnvironment: 'test',
 * });
 */
export class Client {
  /** The environment of the key pair. */
  readonly environment: Environment;
  readonly projects: Projects;
  readonly stories: Stories;
  readonly contributions: Contributions;
  readonly bank: Bank;
  readonly events: Events;
  readonly links: Links;
  readonly webhookEndpoints: WebhookEndpoints;
  readonly statements: Statements;
  readonly reconciliation: Reconciliation;
  readonly sandbox: Sandbox;
  readonly #transport: Transport;
  readonly #settler: Settler;

  constructor(options: ClientOptions) {
    const settings = checkOptions(options);
    this.environment = settings.environment;
    this.#transport = new Transport(settings);
    this.#settler = new Settler(this.#transport, options.store, options.onSettled, [
      settings.apiKey,
      ...(options.companyApiKeys ?? []),
    ]);
    this.projects = new Projects(this.#transport);
    this.stories = new Stories(this.#transport);
    this.events = new Events(this.#transport, settings.environment);
    this.webhookEndpoints = new WebhookEndpoints(this.#transport);
    this.statements = new Statements(this.#transport);
    this.reconciliation = new Reconciliation(this.#transport);
    this.links = new Links(this.#transport);
    this.contributions = new Contributions(this.#transport, this.#settler, settings.environment);
    this.sandbox = new Sandbox(this.#transport, settings.environment);
    this.bank = new Bank(this.#transport, this.#settler, settings.environment);
  }

  /**
   * The main component: the projects that the user supports, followed by other projects. Without a
   * user, the first four projects.
   *
   * @param userHash the encrypted email address of the user
   * @example
   * const { data: projects } = await client.component(user);
   */
  component(userHash?: string, options: CallOptions = {}): Call<GetProjectsAndStoriesResponse> {
    return start(
      this.#transport,
      () => ({
        method: 'GET',
        path: '/projects-stories',
        query: { user_hash: checkOptionalUserHash(userHash) },
        personal: [userHash],
        isComplete: hasData,
      }),
      options,
    );
  }

  /**
   * Sends every stored request again whose outcome is unknown: creates, completions, returns and
   * undos. Call it when the program starts, and later while `remaining` is not empty. It records
   * nothing twice, and it may run in several processes at once.
   *
   * It does not send the requests of a pair that is not known to be your company's. They remain,
   * with an error that says so: see the option `companyApiKeys`.
   *
   * @throws InvalidInput without a store
   * @example
   * const { rejected, remaining } = await client.recover();
   */
  recover(options: CallOptions = {}): Promise<Recovery> {
    return this.#settler.recover(this.environment, options);
  }
}
