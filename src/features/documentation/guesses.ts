import { type PageName, pageNames, type ReferencePage, type SdkPage } from './links';

type Target = Exclude<PageName, ReferencePage | SdkPage> | 'openapi.json';

/** Paths that people and tools try, without the folders and extensions that `guess` removes. */
const aliases: Readonly<Record<Target, readonly string[]>> = {
  start: ['', 'docs', 'documentation', 'api', 'index', 'home', 'readme', 'guides', 'getting-started'],
  sdk: ['sdks', 'integration'],
  'typescript-sdk': ['typescript', 'javascript', 'node', 'contribution-service-sdk'],
  bank: ['banks', 'partner-banks'],
  events: ['event', 'feed'],
  webhooks: ['webhook', 'notifications', 'receiver'],
  statements: ['statement', 'bank-statements', 'reconciliation'],
  'month-end': ['months-end', 'closing'],
  'what-arrived': ['arrived', 'missing-money'],
  credentials: ['auth', 'authentication', 'environments', 'keys'],
  reference: [
    ...['api-docs', 'api-reference', 'redoc'],
    ...['swagger', 'swagger-ui', 'swagger/index', 'swagger-ui/index'],
  ],
  errors: ['error', 'error-codes'],
  conformance: ['certification', 'check', 'kit'],
  sandbox: ['test', 'testing', 'simulator', 'faults'],
  limits: ['limit', 'rate-limits', 'timeouts'],
  changelog: ['changes', 'releases'],
  topics: ['search', 'site-map', 'sitemap'],
  'openapi.json': [
    ...['openapi', 'openapi.json', 'swagger.json', 'v3/api-docs'],
    // YAML 1.2 parsers read JSON.
    ...['openapi.yaml', 'openapi.yml', 'swagger.yaml'],
  ],
};

const targets: ReadonlyMap<string, PageName | 'openapi.json'> = new Map([
  ...pageNames.map((name): [string, PageName] => [name, name]),
  ...Object.entries(aliases).flatMap(([target, names]) =>
    names.map((name): [string, Target] => [name, target as Target]),
  ),
]);

/**
 * The page or OpenAPI document for an unknown path such as /swagger, /docs/guides/start or
 * /docs/sdk.md; undefined if no page matches.
 */
export function guess(path: string): PageName | 'openapi.json' | undefined {
  const name = path
    .toLowerCase()
    .replace(/^\/(?:(?:docs|documentation|guides?|api)\/)*/, '')
    .replace(/\/$/, '')
    .replace(/\.(?:md|html?)$/, '');
  return targets.get(name);
}
