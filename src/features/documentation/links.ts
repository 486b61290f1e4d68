/** The pages of the reference, one for each kind of thing, in the order of the navigation. */
export const referencePages = [
  'reference/projects-and-stories',
  'reference/contributions',
  'reference/completions',
  'reference/events',
  'reference/webhook-endpoints',
  'reference/webhook-deliveries',
  'reference/webhooks',
  'reference/bank-links',
  'reference/bank-statements',
  'reference/statement-accounts',
  'reference/statement-entries',
  'reference/reconciliation',
  'reference/months',
  'reference/sandbox',
] as const;

export type ReferencePage = (typeof referencePages)[number];

export const isReferencePage = (page: PageName): page is ReferencePage =>
  (referencePages as readonly string[]).includes(page);

/** The pages of the SDK's reference. The first one lists all names. */
export const sdkPages = [
  'sdk-reference',
  'sdk-resources',
  'sdk-statements',
  'sdk-options',
  'sdk-errors',
  'sdk-webhooks',
] as const;

export type SdkPage = (typeof sdkPages)[number];

export const isSdkPage = (page: PageName): page is SdkPage => (sdkPages as readonly string[]).includes(page);

/** All pages. `start` is /docs itself. */
export const pageNames = [
  'start',
  'sdk',
  'typescript-sdk',
  'bank',
  'events',
  'webhooks',
  'statements',
  'month-end',
  'what-arrived',
  'credentials',
  'sandbox',
  'conformance',
  'reference',
  ...referencePages,
  ...sdkPages,
  'errors',
  'limits',
  'changelog',
  'topics',
] as const;

export type PageName = (typeof pageNames)[number];

/** The guides' JavaScript programs, under /docs/examples. */
export const examplePrograms = [
  'start.mjs',
  'sdk.mjs',
  'bank.mjs',
  'credentials.mjs',
  'errors.mjs',
  'conformance.mjs',
  'webhooks.mjs',
] as const;

/** The files for Postman. */
export const postmanPaths = {
  collection: '/docs/contribution-service.postman_collection.json',
  environment: '/docs/contribution-service.postman_environment.json',
} as const;

/** The path of a page. */
export function pathOf(page: PageName): string {
  return page === 'start' ? '/docs' : `/docs/${page}`;
}

/**
 * Links on one page. They are relative, so that they work with any prefix in PUBLIC_BASE_URL or at
 * a proxy.
 */
export interface Links {
  page: (name: PageName, fragment?: string) => string;
  asset: (file: string) => string;
  example: (file: string) => string;
  sdkPackage: (file: string) => string;
  openApi: string;
  /**
   * The prefix of a service path without its first slash, such as
   * company/integration/projects-stories.
   */
  root: string;
}

export function linksFrom(page: PageName): Links {
  if (page === 'start') return linksTo('docs/', '');
  return page.includes('/') ? linksTo('../', '../../') : linksTo('', '../');
}

/** Links of a page that is served at an arbitrary path, such as "/docs/nothing". */
export function linksFromPath(path: string): Links {
  const root = '../'.repeat(path.split('/').length - 2);
  return linksTo(`${root}docs/`, root);
}

function linksTo(toPages: string, root: string): Links {
  return {
    page: (name, fragment) => {
      const address = name === 'start' ? `${root}docs` : `${toPages}${name}`;
      return fragment === undefined ? address : `${address}#${fragment}`;
    },
    asset: (file) => `${toPages}assets/${file}`,
    example: (file) => `${toPages}examples/${file}`,
    sdkPackage: (file) => `${toPages}sdk/${file}`,
    openApi: `${root}openapi.json`,
    root,
  };
}
