/** The pages, in the order of the navigation. `start` is /docs itself. */
export const pageNames = [
  'start',
  'sdk',
  'bank',
  'credentials',
  'reference',
  'errors',
  'limits',
  'changelog',
] as const;

export type PageName = (typeof pageNames)[number];

/** The page's path on this service. */
export function pathOf(page: PageName): string {
  return page === 'start' ? '/docs' : `/docs/${page}`;
}

/**
 * Addresses as one page writes them: relative, so that the pages work under whatever prefix PUBLIC_BASE_URL or a proxy
 * puts before them.
 */
export interface Links {
  page: (name: PageName, fragment?: string) => string;
  asset: (file: string) => string;
  openApi: string;
  /** What stands before a path of the service, such as /company/integration/projects-stories without its first slash. */
  root: string;
}

export function linksFrom(page: PageName): Links {
  const [toPages, root] = page === 'start' ? ['docs/', ''] : ['', '../'];
  return {
    page: (name, fragment) => {
      const address = name === 'start' ? `${root}docs` : `${toPages}${name}`;
      return fragment === undefined ? address : `${address}#${fragment}`;
    },
    asset: (file) => `${toPages}assets/${file}`,
    openApi: `${root}openapi.json`,
    root,
  };
}
