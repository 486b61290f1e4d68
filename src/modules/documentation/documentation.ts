import { createHash } from 'node:crypto';

import type { EndpointContract } from '../../http/endpoint';
import { type ErrorCode, errorCodes } from '../../shared/errors';
import { readAssets, readGuide } from './content';
import { errorEntries, errorTable, inputErrorEntries } from './error-catalogue';
import { createGuideRenderer, type GuideRenderer, type Inserts } from './guide';
import { type PageContent, renderPage } from './layout';
import { type LimitGroup, renderLimits } from './limits-table';
import { type Links, linksFrom, type PageName, pageNames, pathOf } from './links';
import { createAddressOfOperation, type ReferenceDocument, renderReference } from './reference';
import type { DemoKeyPairs } from './try-form';

/** What the pages tell of the service that serves them. */
export interface DocumentationInput {
  publicBaseUrl: string;
  version: string;
  contracts: readonly EndpointContract[];
  /** The OpenAPI document of these contracts. */
  openApiDocument: Record<string, unknown>;
  errorsOf: (contract: EndpointContract) => readonly ErrorCode[];
  limits: readonly LimitGroup[];
  /** The demo's pairs, where the pages may show them; see docs/decisions/0026-documentation-pages.md. */
  demo: DemoKeyPairs | undefined;
}

/** An answer that is ready before anybody asks. */
export interface StaticAnswer {
  contentType: string;
  content: string;
  /** Weak: whoever compresses it on its way sends the same thing. */
  etag: string;
  cacheControl: string;
}

/** The address that the guides' examples have in their source, and each reader's service in its place. */
const exampleAddress = 'https://api.example.org';

function fitExample({ publicBaseUrl, demo }: DocumentationInput, page: PageName) {
  const pair = page === 'bank' ? demo?.bank : demo?.sdkHost;
  return (code: string): string => {
    const fitted = code.replaceAll(exampleAddress, publicBaseUrl);
    return pair
      ? fitted.replaceAll('cpk_test_…', pair.apiKey).replaceAll('cps_test_…', pair.apiSecret)
      : fitted;
  };
}

function rendererOf(input: DocumentationInput, page: PageName, links: Links): GuideRenderer {
  const operationOf = createAddressOfOperation(input.contracts);
  return createGuideRenderer({
    links,
    addressOfCode: (code) => {
      if ((errorCodes as readonly string[]).includes(code)) return links.page('errors', code);
      const operationId = operationOf(code);
      return operationId === undefined ? undefined : links.page('reference', operationId);
    },
    fitExample: fitExample(input, page),
  });
}

/** What the program itself says on a page. */
function insertsOf(page: PageName, { sentence }: GuideRenderer, input: DocumentationInput): Inserts {
  if (page === 'errors') {
    return {
      'error-table': errorTable(),
      'error-entries': errorEntries(sentence),
      'input-error-entries': inputErrorEntries(sentence),
    };
  }
  return page === 'limits' ? { limits: renderLimits(input.limits, sentence) } : {};
}

function contentOf(input: DocumentationInput, page: PageName, links: Links): PageContent {
  if (page === 'reference') {
    const document = input.openApiDocument as unknown as ReferenceDocument;
    return renderReference({ ...input, document }, links);
  }
  const renderer = rendererOf(input, page, links);
  return renderer.page(readGuide(page), insertsOf(page, renderer, input));
}

function staticAnswer(contentType: string, content: string, cacheControl: string): StaticAnswer {
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 22);
  return { contentType, content, etag: `W/"${hash}"`, cacheControl };
}

/** All answers by their path. */
export type StaticAnswers = ReadonlyMap<string, StaticAnswer>;

export interface Documentation {
  answers: StaticAnswers;
  /** With the demo's pairs in them, for a browser on the machine that the demo runs on; absent without a demo. */
  answersWithDemo: StaticAnswers | undefined;
}

/**
 * Makes every page, once, when the service starts: nothing is rendered while a request waits.
 *
 * @throws Error when a guide is missing or holds what cannot be served
 */
export function createDocumentation(input: DocumentationInput): Documentation {
  return {
    answers: renderAnswers({ ...input, demo: undefined }),
    answersWithDemo: input.demo && renderAnswers(input),
  };
}

function renderAnswers(input: DocumentationInput): StaticAnswers {
  const isPublic = 'public, max-age=300';
  // A demo's credentials are nobody else's to keep.
  const ofPages = input.demo ? 'no-store' : isPublic;
  const document = { ...input.openApiDocument, servers: [{ url: input.publicBaseUrl }] };
  const answers = new Map([
    ['/openapi.json', staticAnswer('application/json', JSON.stringify(document), isPublic)],
  ]);
  for (const { name, contentType, content } of readAssets()) {
    answers.set(`/docs/assets/${name}`, staticAnswer(contentType, content, isPublic));
  }
  for (const page of pageNames) {
    const links = linksFrom(page);
    const text = renderPage(page, contentOf(input, page, links), links, input.version);
    answers.set(pathOf(page), staticAnswer('text/html; charset=utf-8', text, ofPages));
  }
  return answers;
}
