import { createHash } from 'node:crypto';

import type { EndpointContract } from '../../http/contract';
import type { ErrorCatalog } from '../../http/errors/error-catalog';
import { readAssets, readExamples, readGuide } from './content';
import { errorEntries, errorTable, inputErrorEntries } from './errors-page';
import { createGuideRenderer, type GuideRenderer, type Inserts } from './guide';
import { type PageContent, renderPage, type Site } from './layout';
import {
  isReferencePage,
  isSdkPage,
  type Links,
  linksFrom,
  type PageName,
  pageNames,
  pathOf,
  postmanPaths,
} from './links';
import { postmanCollection, postmanEnvironment } from './postman';
import {
  createAddressOfOperation,
  type ReferenceDocument,
  renderReferenceIndex,
  renderReferencePage,
} from './reference';
import { readSdkDocument } from './sdk-reference/sdk-document';
import { createSdkNames, type SdkNames } from './sdk-reference/sdk-names';
import { renderSdkPage, renderSdkReferenceLink } from './sdk-reference/sdk-pages';
import { pathOfSdkPackage, readSdkPackage, renderSdkPackage, type SdkPackage } from './sdk-package';
import type { Entry } from './assets/search-engine';
import { searchEntriesOf, searchIndexOf, searchIndexPath } from './search-index';
import { renderTopics } from './topics';
import type { DemoKeyPairs } from './try-form';

/** The facts about the service that the pages show. */
export interface DocumentationInput {
  publicBaseUrl: string;
  site: Site;
  contracts: readonly EndpointContract[];
  /** The OpenAPI document of these contracts. */
  openApiDocument: Record<string, unknown>;
  errors: ErrorCatalog;
  /** The values that the page of the limits names. */
  limits: Readonly<Record<string, string>>;
  /**
   * The demo's pairs, if the pages may show them. See docs/decisions/0026-documentation-pages.md.
   */
  demo: DemoKeyPairs | undefined;
}

/** A response that the service renders at startup. */
export interface StaticResponse {
  contentType: string;
  content: string | Buffer;
  /** Weak, because a proxy may compress the content. */
  etag: string;
  cacheControl: string;
}

type RenderInput = DocumentationInput & { sdkPackage: SdkPackage; sdkNames: SdkNames };

/** The base URL in the guides' source. The pages show the service's own. */
const exampleAddress = 'https://api.example.org';

function adaptExample({ publicBaseUrl, demo }: DocumentationInput, page: PageName) {
  const pair = page === 'bank' || page === 'month-end' ? demo?.bank : demo?.sdkHost;
  return (code: string): string => {
    const adapted = code.replaceAll(exampleAddress, publicBaseUrl);
    return pair
      ? adapted.replaceAll('cpk_test_…', pair.apiKey).replaceAll('cps_test_…', pair.apiSecret)
      : adapted;
  };
}

function rendererOf(input: RenderInput, page: PageName, links: Links): GuideRenderer {
  const addressOf = createAddressOfOperation(input.contracts, links);
  const { sdkNames } = input;
  return createGuideRenderer({
    links,
    addressOfCode: (code) =>
      Object.hasOwn(input.errors, code)
        ? links.page('errors', code)
        : // In other guides, `Environment` is a header and not a type.
          ((isSdkPage(page) || page === 'typescript-sdk' ? sdkNames.addressOf(code, links) : undefined) ??
          addressOf(code)),
    adaptExample: adaptExample(input, page),
  });
}

/** Replaces each name in braces with its value. */
const withValues = (source: string, values: Readonly<Record<string, string>>): string =>
  source.replace(/\{(\w+)\}/g, (_whole, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`there is no limit ${name}`);
    return value;
  });

type WrittenPage = Exclude<PageName, 'topics'>;

/** The generated parts of a page. */
function insertsOf(page: PageName, { sentence }: GuideRenderer, links: Links, input: RenderInput): Inserts {
  if (page === 'errors') {
    return {
      'error-table': errorTable(input.errors),
      'error-entries': errorEntries(input.errors, sentence),
      'input-error-entries': inputErrorEntries(sentence),
    };
  }
  if (page === 'typescript-sdk') {
    return {
      'sdk-package': renderSdkPackage(input.sdkPackage, links),
      'sdk-reference': renderSdkReferenceLink(links),
    };
  }
  return {};
}

function contentOf(input: RenderInput, page: WrittenPage, links: Links): PageContent {
  const reference = { ...input, document: input.openApiDocument as unknown as ReferenceDocument };
  if (page === 'reference') return renderReferenceIndex(reference, links);
  if (isReferencePage(page)) return renderReferencePage(page, reference, links);
  const renderer = rendererOf(input, page, links);
  if (isSdkPage(page)) {
    return renderSdkPage(page, { ...input, names: input.sdkNames, sentence: renderer.sentence }, links);
  }
  const source = readGuide(page);
  return renderer.page(
    page === 'limits' ? withValues(source, input.limits) : source,
    insertsOf(page, renderer, links, input),
  );
}

/** The content of every page. The page of topics lists the sections of the others. */
function contentsOf(input: RenderInput): ReadonlyMap<PageName, PageContent> {
  const contents = new Map<PageName, PageContent>();
  for (const page of pageNames) {
    const links = linksFrom(page);
    contents.set(page, page === 'topics' ? renderTopics(contents, links) : contentOf(input, page, links));
  }
  return contents;
}

function staticResponse(contentType: string, content: string | Buffer, cacheControl: string): StaticResponse {
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 22);
  return { contentType, content, etag: `W/"${hash}"`, cacheControl };
}

/** Without any pair, also on the pages of a demo. */
const postmanFiles = ({ contracts, openApiDocument, publicBaseUrl }: DocumentationInput) => ({
  [postmanPaths.collection]: postmanCollection({
    contracts,
    document: openApiDocument as unknown as ReferenceDocument,
    publicBaseUrl,
  }),
  [postmanPaths.environment]: postmanEnvironment(publicBaseUrl),
});

/** All responses by path. */
export type StaticResponses = ReadonlyMap<string, StaticResponse>;

export type Documentation = ReturnType<typeof createDocumentation>;

/**
 * Renders each set of responses once, when it is first read.
 *
 * @throws Error from `render` when a guide is missing or has content that cannot be served
 */
export function createDocumentation(input: DocumentationInput) {
  let responses: StaticResponses | undefined;
  let responsesWithDemo: StaticResponses | undefined;
  const withoutDemo = () => (responses ??= renderResponses({ ...input, demo: undefined }));
  const withDemo = () => (responsesWithDemo ??= input.demo && renderResponses(input));
  return {
    /**
     * Renders the pages for a browser on this machine in advance, so that no request waits for
     * them.
     */
    render: () => {
      if (!withDemo()) withoutDemo();
    },
    get responses() {
      return withoutDemo();
    },
    /** The same paths with the demo's key pairs, for a browser on the demo's machine. */
    get responsesWithDemo() {
      return withDemo();
    },
  };
}

function renderResponses(documentationInput: DocumentationInput): StaticResponses {
  const sdkPackage = readSdkPackage();
  const input = { ...documentationInput, sdkPackage, sdkNames: createSdkNames(readSdkDocument()) };
  const publicCache = 'public, max-age=300';
  // No cache may store the demo's credentials.
  const pageCache = input.demo ? 'no-store' : publicCache;
  const document = { ...input.openApiDocument, servers: [{ url: input.publicBaseUrl }] };
  const responses = new Map([
    ['/openapi.json', staticResponse('application/json', JSON.stringify(document), publicCache)],
  ]);
  for (const [path, content] of Object.entries(postmanFiles(input)))
    responses.set(path, staticResponse('application/json', JSON.stringify(content), publicCache));
  for (const { name, contentType, content } of readAssets()) {
    // Browsers ask for this icon at the root, for example beside a JSON document.
    const path = name === 'favicon.ico' ? '/favicon.ico' : `/docs/assets/${name}`;
    responses.set(path, staticResponse(contentType, content, publicCache));
  }
  for (const { name, content } of readExamples()) {
    responses.set(
      `/docs/examples/${name}`,
      staticResponse('text/javascript; charset=utf-8', content, publicCache),
    );
  }
  // The next build of the same version may have other content.
  responses.set(
    pathOfSdkPackage(sdkPackage),
    staticResponse('application/gzip', sdkPackage.content, 'public, no-cache'),
  );
  const searchEntries: Entry[] = [];
  for (const [page, content] of contentsOf(input)) {
    const text = renderPage(page, content, linksFrom(page), input.site);
    responses.set(pathOf(page), staticResponse('text/html; charset=utf-8', text, pageCache));
    // The topics are titles of other pages.
    if (page !== 'topics') searchEntries.push(...searchEntriesOf(page, content));
  }
  responses.set(
    searchIndexPath,
    staticResponse('application/json', searchIndexOf(searchEntries), publicCache),
  );
  return responses;
}
