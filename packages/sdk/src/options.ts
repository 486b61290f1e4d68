import { checkCredentials, type Environment, environmentOfKey, orVariable, variable } from './credentials.js';
import { assertInput, InvalidInput } from './errors.js';
import type { IntentStore, Settlement } from './intents.js';
import type { Logger } from './logging.js';
import { callNames, checkNames } from './names.js';

/** Options of `new ContributionService`. */
export interface ContributionServiceOptions {
  /** Starts with `cpk_`. Default: the environment variable `CONTRIBUTION_API_KEY`. */
  apiKey?: string | undefined;
  /**
   * Starts with `cps_`. Keep it out of source code and logs. Default: the environment variable
   * `CONTRIBUTION_API_SECRET`.
   */
  apiSecret?: string | undefined;
  /**
   * The address of the API. It ends in `/company/integration`, for example
   * `https://api.example.org/company/integration`. Default: the environment variable
   * `CONTRIBUTION_API_URL`.
   */
  apiUrl?: string | undefined;
  /**
   * The environment that this program is meant for. The client rejects a pair and a response of the
   * other environment. Default: `test`. A program that uses a production pair must say so.
   */
  expectEnvironment?: Environment | undefined;
  /**
   * Stores creates, completions, returns, undos and corrections until their outcome is known, so
   * that none is lost in a crash.
   */
  store?: IntentStore | undefined;
  /**
   * The API-Keys of your company's other pairs: an earlier pair after a rotation, or the pair of
   * another program that shares the store. The client also sends the stored requests of these
   * pairs.
   */
  companyApiKeys?: readonly string[] | undefined;
  /**
   * Called with the outcome of every stored request and awaited. The store then deletes the
   * request. Save the outcome here: it also arrives after a crash, through `client.recover()`.
   */
  onSettled?: ((settlement: Settlement) => void | Promise<void>) | undefined;
  /** The time for one attempt, in milliseconds. Default: 20,000. */
  timeoutMs?: number | undefined;
  /** The time for a call with all its attempts, in milliseconds. Default: 60,000. */
  deadlineMs?: number | undefined;
  /** The maximum number of attempts of a call. Default: 5. */
  maxAttempts?: number | undefined;
  /** Called for every attempt, without secrets and personal data. */
  logger?: Logger | undefined;
  /** Replaces the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
}

/**
 * Options of a single call. They override those of the client. Pass them after the params:
 * `list(params, options)`.
 */
export interface CallOptions {
  /** The time for one attempt, in milliseconds. */
  timeoutMs?: number | undefined;
  /** The time for the call with all its attempts, in milliseconds. */
  deadlineMs?: number | undefined;
  /** The maximum number of attempts. */
  maxAttempts?: number | undefined;
  /** Aborts the call. */
  signal?: AbortSignal | undefined;
}

/** The checked limits of a call. */
export interface Limits {
  readonly timeoutMs: number;
  readonly deadlineMs: number;
  readonly maxAttempts: number;
}

const defaults: Limits = { timeoutMs: 20_000, deadlineMs: 60_000, maxAttempts: 5 };
/** The longest delay of a timer in JavaScript. */
const longestMs = 2 ** 31 - 1;

/** Checks the limits in the options. They override the limits of `from`. */
export function checkLimits(options: CallOptions = {}, from: Limits = defaults): Limits {
  const {
    timeoutMs = from.timeoutMs,
    deadlineMs = from.deadlineMs,
    maxAttempts = from.maxAttempts,
  } = options;
  for (const [field, value] of Object.entries({ timeoutMs, deadlineMs }))
    assertInput(
      typeof value === 'number' && value > 0 && value <= longestMs,
      field,
      'Pass a positive number of milliseconds.',
    );
  assertInput(
    Number.isInteger(maxAttempts) && maxAttempts > 0,
    'maxAttempts',
    'Pass a whole number of at least 1.',
  );
  return { timeoutMs, deadlineMs, maxAttempts };
}

/**
 * Checks the options of one call, before anything is stored or sent.
 *
 * @param own the names that only this call has, separated by spaces
 * @returns the options that all calls have
 */
export function callOptionsOf(options: CallOptions = {}, own = ''): CallOptions {
  checkNames('options', options, `${callNames} ${own}`);
  checkLimits(options);
  const { timeoutMs, deadlineMs, maxAttempts, signal } = options;
  assertInput(
    signal === undefined || typeof signal.addEventListener === 'function',
    'signal',
    'Pass the signal of an AbortController.',
  );
  return { timeoutMs, deadlineMs, maxAttempts, signal };
}

const prefix = '/company/integration';

/** Whether requests to this host stay on the machine. */
export const isLoopback = (host: string): boolean =>
  /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(host);

/** The URL that all operations share, without a final slash. */
export function checkApiUrl(apiUrl: unknown, environment: Environment): string {
  const field = 'apiUrl';
  const advice = `Pass the address of the API, such as 'https://api.example.org${prefix}'.`;
  let url: URL;
  try {
    url = new URL(String(apiUrl));
  } catch {
    throw new InvalidInput(field, orVariable(advice, 'API_URL'));
  }
  assertInput(
    /^https?:$/.test(url.protocol) && url.search + url.hash + url.username + url.password === '',
    field,
    `${advice} It has no query, fragment or user name.`,
  );
  assertInput(
    url.protocol === 'https:' || (environment === 'test' && isLoopback(url.hostname)),
    field,
    'Use https://. Only a test pair on your machine may use http://.',
  );
  const address = url.origin + url.pathname.replace(/\/+$/, '');
  assertInput(address.endsWith(prefix), field, `It must end in ${prefix}. Pass '${address}${prefix}'.`);
  return address;
}

/** The checked settings of a client. */
export interface Settings {
  readonly apiKey: string;
  readonly apiSecret: string;
  readonly environment: Environment;
  readonly apiUrl: string;
  readonly limits: Limits;
  readonly fetch: typeof globalThis.fetch;
  readonly logger: Logger | undefined;
}

const clientNames =
  'apiKey apiSecret apiUrl expectEnvironment store companyApiKeys onSettled timeoutMs deadlineMs maxAttempts logger fetch';

function checkFunction(field: string, value: unknown): void {
  assertInput(value === undefined || typeof value === 'function', field, 'Pass a function.');
}

function checkCompanyApiKeys(keys: unknown, environment: Environment): void {
  const field = 'companyApiKeys';
  if (keys === undefined) return;
  assertInput(Array.isArray(keys), field, 'Pass a list of API-Keys.');
  assertInput(
    keys.every((key) => environmentOfKey(key) === environment),
    field,
    `Pass API-Keys that begin with cpk_${environment}_, and never a secret.`,
  );
}

function checkStore({ store, onSettled }: ContributionServiceOptions): void {
  const methods = ['put', 'get', 'delete', 'list'];
  const members = store as unknown as Readonly<Record<string, unknown>> | null | undefined;
  assertInput(
    members === undefined || methods.every((name) => typeof members?.[name] === 'function'),
    'store',
    "Pass an object with the methods put, get, delete and list, such as new FileIntentStore('./intents').",
  );
  checkFunction('onSettled', onSettled);
  assertInput(
    !onSettled || store !== undefined,
    'onSettled',
    'Pass a store too: onSettled reports only stored requests.',
  );
}

/** An option, or else its environment variable. Not every runtime has variables. */
function optionOf(option: string | undefined, name: string): string | undefined {
  if (option !== undefined) return option;
  const { process } = globalThis as { process?: { env?: Readonly<Record<string, string | undefined>> } };
  return process?.env?.[variable(name)];
}

/** @throws InvalidInput that says which option to correct, and how */
export function checkOptions(options: ContributionServiceOptions = {}): Settings {
  checkNames('options', options, clientNames);
  const { expectEnvironment, logger } = options;
  const apiKey = optionOf(options.apiKey, 'API_KEY') ?? '';
  const apiSecret = optionOf(options.apiSecret, 'API_SECRET') ?? '';
  const environment = checkCredentials(apiKey, apiSecret, expectEnvironment);
  checkStore(options);
  checkCompanyApiKeys(options.companyApiKeys, environment);
  checkFunction('logger', logger);
  const fetch = options.fetch ?? globalThis.fetch;
  assertInput(
    typeof fetch === 'function',
    'fetch',
    'This runtime has no fetch. Use Node.js 20.19 or newer, or pass one.',
  );
  return {
    apiKey,
    apiSecret,
    environment,
    apiUrl: checkApiUrl(optionOf(options.apiUrl, 'API_URL'), environment),
    limits: checkLimits(options),
    // Browsers and Workers reject a fetch that is called as a method of another object.
    fetch: (input, init) => fetch(input, init),
    logger,
  };
}
