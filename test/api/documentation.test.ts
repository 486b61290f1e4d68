import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { BlockList } from 'node:net';
import path from 'node:path';

import express from 'express';
import request, { type Response } from 'supertest';

import { listContracts, listErrors, listMessages } from '../../src/contracts';
import { createOpenApiDocument, errorCodesOf } from '../../src/http/openapi';
import { RequestContext } from '../../src/http/request/request-context';
import { Connections } from '../../src/http/server/connection';
import { createDocumentation } from '../../src/features/documentation/documentation';
import { documentationHandler } from '../../src/features/documentation/documentation.router';
import {
  examplePrograms,
  pageNames,
  pathOf,
  postmanPaths,
  referencePages,
  sdkPages,
} from '../../src/features/documentation/links';
import { pageOfOperation } from '../../src/features/documentation/reference-groups';
import { keywords, synonyms } from '../../src/features/documentation/search-words';
import { pathOfSdkPackage, readSdkPackage } from '../../src/features/documentation/sdk-package';
import { publishedLimits } from '../../src/features/documentation/published-limits';
import packageJson from '../../package.json';
import { publicBaseUrl, startService, type TestService } from '../support/service';
import { errorCatalog, errorCodes } from '../support/errors';

const pages = pageNames.map(pathOf);
const assets = [
  ...[
    ...['documentation.css', 'inter-latin.woff2', 'inter-latin-ext.woff2', 'icon.svg'],
    ...['documentation.js', 'samples.js', 'try.js', 'search.js', 'search-engine.js'],
    ...['minisearch.js', 'stemmer.js', 'search.json'],
  ].map((name) => `/docs/assets/${name}`),
  '/favicon.ico',
  ...examplePrograms.map((name) => `/docs/examples/${name}`),
  ...Object.values(postmanPaths),
  pathOfSdkPackage(readSdkPackage()),
];
const settings = {
  MAXIMUM_AMOUNT: '7654.00',
  BODY_LIMIT_BYTES: '20481',
  HEADERS_TIMEOUT_MS: '4100',
  REQUEST_TIMEOUT_MS: '8200',
  DATABASE_STATEMENT_TIMEOUT_MS: '1700',
  DATABASE_LOCK_TIMEOUT_MS: '310',
  DATABASE_ANSWER_TIMEOUT_MS: '3300',
  DATABASE_ACQUIRE_TIMEOUT_MS: '910',
};
const contracts = listContracts({ minimumCents: 1n, maximumCents: 765_400n });

const commonErrors = errorCodes.filter((code) =>
  contracts.every((contract) => errorCodesOf(contract, errorCatalog).includes(code)),
);

let service: TestService;
/** The text of every page by its path. */
const texts = new Map<string, string>();

const get = async (path: string): Promise<Response> => service.anonymous.raw('get', path);
const textOf = (path: string): string => texts.get(path) ?? '';
const idsIn = (html: string): string[] => [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id!);

beforeAll(async () => {
  service = await startService({ settings });
  for (const path of pages) texts.set(path, (await get(path)).text);
});
afterAll(() => service.stop());

describe('a page', () => {
  test.each(pages)('%s is served without credentials and is cacheable for five minutes', async (path) => {
    const response = await get(path);
    expect(response.status).toBe(200);
    expect(response.get('Content-Type')).toBe('text/html; charset=utf-8');
    expect(response.get('Cache-Control')).toBe('public, max-age=300');
    expect(response.get('Environment')).toBeUndefined();
  });

  test.each([...pages, ...assets, '/openapi.json'])('%s gets 304 for a matching ETag', async (path) => {
    const etag = (await get(path)).get('ETag')!;
    const again = await service.anonymous.raw('get', path).set('If-None-Match', etag);
    expect([again.status, again.text]).toEqual([304, '']);
    const other = await service.anonymous.raw('get', path).set('If-None-Match', 'W/"another"');
    expect(other.status).toBe(200);
  });

  test.each(pages)('%s may load resources of this service only, and nothing inline', async (path) => {
    expect((await get(path)).get('Content-Security-Policy')?.split(';').sort()).toEqual([
      "base-uri 'none'",
      "connect-src 'self'",
      "default-src 'none'",
      "font-src 'self'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "img-src 'self'",
      "script-src 'self'",
      "style-src 'self'",
    ]);
  });

  test.each(pages)('%s contains no style, script or handler that the policy would block', (path) => {
    const text = textOf(path);
    expect(text).not.toMatch(/<style|\sstyle=|\son[a-z]+=|javascript:/i);
    expect(text.match(/<script[^>]*>[^<]*/g)).toEqual([
      expect.stringMatching(/^<script type="module" src="[^":]*assets\/documentation\.js">$/),
    ]);
  });

  test.each(pages)('%s loads from and links to no other site', (path) => {
    const addresses = [...textOf(path).matchAll(/(?:href|src|action)="([^"]*)"/g)].map(([, url]) => url!);
    expect(addresses.length).toBeGreaterThan(10);
    expect(addresses.filter((url) => /^(\w+:|\/)/.test(url))).toEqual([]);
  });

  test.each(pages)('%s has no duplicate id', (path) => {
    const ids = idsIn(textOf(path));
    expect(ids).toEqual([...new Set(ids)]);
  });

  test.each(pages)('%s has no broken link', (path) => {
    const misled = [...textOf(path).matchAll(/href="([^"]*)"/g)].flatMap(([, href = '']) => {
      const { pathname, hash } = new URL(href.replace(/&amp;/g, '&'), `http://service${path}`);
      if (!texts.has(pathname)) return [...assets, '/openapi.json'].includes(pathname) ? [] : [href];
      return hash === '' || idsIn(textOf(pathname)).includes(hash.slice(1)) ? [] : [href];
    });
    expect(misled).toEqual([]);
  });

  test.each(pages)('%s has no link within a link', (path) => {
    expect(textOf(path)).not.toMatch(/<a\b[^>]*>(?:(?!<\/a>).)*<a\b/s);
  });

  test.each(pages)('%s has a link on each of its headings', (path) => {
    const headings = [...textOf(path).matchAll(/<h[23] id="([^"]*)">(.*?)<\/h[23]>/gs)];
    for (const [, id, content] of headings) expect(content).toContain(`<a class="anchor" href="#${id}"`);
  });

  test.each(pages)('%s links to the page before and after it', (path) => {
    const [, pager = ''] = textOf(path).split('<nav class="pager"');
    expect(pager.match(/ rel="(prev|next)"/g)).toEqual([
      ...(path === '/docs' ? [] : [' rel="prev"']),
      ...(path === '/docs/topics' ? [] : [' rel="next"']),
    ]);
  });

  test.each(pages)('%s states the API version that it documents', (path) => {
    expect(textOf(path)).toContain(`Version ${packageJson.version}`);
  });

  test.each(pages)('%s has a description of its own for search engines', (path) => {
    const descriptionIn = (html: string): string | undefined =>
      /<meta name="description" content="([^"]*)">/.exec(html)?.[1];
    const description = descriptionIn(textOf(path)) ?? '';
    expect(description).toMatch(/^\S.{30,200}\.$/);
    expect(pages.filter((page) => descriptionIn(textOf(page)) === description)).toEqual([path]);
  });

  test('has an icon at the address where browsers look for it beside other responses', async () => {
    const { status, headers, body } = await get('/favicon.ico');
    expect([status, headers['content-type']]).toEqual([200, 'image/x-icon']);
    // The type of the file, and the number of its pictures.
    expect((body as Buffer).subarray(0, 6)).toEqual(Buffer.from([0, 0, 1, 0, 3, 0]));
  });

  test('with a trailing slash redirects to the page itself, where its links work', async () => {
    const response = await get('/docs/');
    expect([response.status, response.get('Location')]).toEqual([308, '../docs']);
  });

  test.each([
    '/docs/nothing',
    '/docs/nothing.md',
    '/docs/constructor',
    '/docs/assets/nothing.css',
    '/docs/assets/../../package.json',
    '/company/integration/swagger',
  ])('%s does not exist, and the problem document names /docs', async (path) => {
    const { status, body } = await get(path);
    expect([status, body]).toEqual([
      404,
      expect.objectContaining({ code: 'path_not_found', detail: expect.stringContaining('/docs') }),
    ]);
  });
});

describe('a guessed address', () => {
  test.each([
    ['/swagger', 'docs/reference'],
    ['/swagger/', '../docs/reference'],
    ['/swagger-ui', 'docs/reference'],
    ['/swagger-ui/index.html', '../docs/reference'],
    ['/swagger-ui.html', 'docs/reference'],
    ['/api-docs', 'docs/reference'],
    ['/api/docs', '../docs'],
    ['/redoc', 'docs/reference'],
    ['/reference', 'docs/reference'],
    ['/openapi', 'openapi.json'],
    ['/openapi.yaml', 'openapi.json'],
    ['/swagger.json', 'openapi.json'],
    ['/api/openapi.json', '../openapi.json'],
    ['/v3/api-docs', '../openapi.json'],
    ['/docs/openapi.yaml', '../openapi.json'],
    ['/docs/sdk.md', '../docs/sdk'],
    ['/docs/sdk/', '../../docs/sdk'],
    ['/docs/start.html', '../docs'],
    ['/docs/README.md', '../docs'],
    ['/reference/contributions', '../docs/reference/contributions'],
    ['/docs/guides/start', '../../docs'],
    ['/docs/guides/bank.md', '../../docs/bank'],
    ['/guides/bank', '../docs/bank'],
    ['/Docs', 'docs'],
    ['/CHANGELOG.md', 'docs/changelog'],
    ['//evil.example/docs/', undefined],
    ['//docs/sdk.md', undefined],
    ['/docs//sdk', undefined],
  ])('%s redirects to %s', async (path, location) => {
    // A URL parser would read the path "//evil.example" as a host.
    const response = await service.anonymous.raw('get', `${path}?next=https://evil.example`);
    expect([response.status, response.get('Location')]).toEqual([
      location === undefined ? 404 : 302,
      location,
    ]);
    if (location === undefined) return;
    const target = new URL(location, `http://service${path}`);
    expect(target.host).toBe('service');
    expect((await get(target.pathname)).status).toBe(200);
  });
});

describe('a browser at an unknown path', () => {
  const browserAccepts = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
  const open = (path: string) => service.anonymous.raw('get', path).set('Accept', browserAccepts);

  test.each([
    ['/', 'docs'],
    ['/docs/start', '../docs'],
    ['/docs/authentication', '../docs/credentials'],
    ['/docs/openapi.json', '../openapi.json'],
    ['/documentation', 'docs'],
  ])('is redirected from %s to %s', async (path, location) => {
    const response = await open(path);
    expect([response.status, response.get('Location')]).toEqual([302, location]);
    const target = new URL(location, `http://service${path}`).pathname;
    expect((await get(target)).status).toBe(200);
  });

  test.each(['/docs/nosuch', '/nosuch', '/docs/a/b/c', '/company/integration/nosuch/'])(
    'gets a page with navigation at %s, whose links work',
    async (path) => {
      const response = await open(path);
      expect([response.status, response.get('Content-Type')]).toEqual([404, 'text/html; charset=utf-8']);
      expect(response.get('Content-Security-Policy')).toContain("default-src 'none'");
      expect([response.get('Cache-Control'), response.get('Vary')]).toEqual(['no-store', 'Accept']);
      expect(response.text).not.toContain('nosuch');
      const hrefs = [...response.text.matchAll(/(?:href|src)="([^"#]+)"/g)].map(([, href]) => href!);
      expect(hrefs.length).toBeGreaterThan(10);
      for (const href of new Set(hrefs)) {
        expect((await get(new URL(href, `http://service${path}`).pathname)).status).toBe(200);
      }
    },
  );

  test.each(['*/*', 'application/json, text/plain, */*', 'application/problem+json', 'image/png', ''])(
    'is recognized by its Accept header: "%s" gets a problem document',
    async (accept) => {
      const response = await service.anonymous.raw('get', '/docs/nosuch').set('Accept', accept);
      expect([response.status, response.get('Content-Type')]).toEqual([404, 'application/problem+json']);
      expect(response.body).toMatchObject({ code: 'path_not_found' });
    },
  );

  test('that sends a body gets a problem document', async () => {
    const response = await service.anonymous.raw('post', '/docs/nosuch').set('Accept', browserAccepts);
    expect(response.body).toMatchObject({ code: 'path_not_found' });
  });
});

describe('the reference', () => {
  test.each(contracts.map((contract) => [contract.operationId, contract] as const))(
    'describes %s: its path, its scope, its fields and its errors',
    (operationId, contract) => {
      const from = textOf(pathOf(pageOfOperation(contract))).split(`<h2 id="${operationId}">`)[1]!;
      const entry = from.slice(0, from.indexOf('</section>'));
      expect(entry.replaceAll('<wbr>', '')).toContain(`<code>${contract.path}</code>`);
      expect(entry).toContain(contract.scope === null ? 'No scope' : `Scope <code>${contract.scope}</code>`);
      expect(entry).toContain('href="../reference#common-errors"');
      for (const code of errorCodesOf(contract, errorCatalog).filter((each) => !commonErrors.includes(each)))
        expect(entry).toContain(`href="../errors#${code}"`);
      const { body } = contract;
      const fields = Object.keys((body?.schema as { shape?: object } | undefined)?.shape ?? {});
      for (const field of fields) expect(entry).toContain(`<dt><code>${field}</code>`);
      for (const media of body?.accepts ?? []) expect(entry).toContain(media);
      expect(entry).toContain('<form data-method=');
    },
  );

  test.each(contracts)('leads from the old address of $operationId to its page', (contract) => {
    const { operationId } = contract;
    const address = `${pageOfOperation(contract)}#${operationId}`;
    expect(textOf('/docs/reference')).toContain(`<li id="${operationId}"><a href="${address}">`);
  });

  test('tells the headers of a response from the fields of its body', () => {
    const [, create = ''] = textOf('/docs/reference/contributions').split('<h2 id="createContribution">');
    const [, response = ''] = create.split('<h3>Response <span class="status">201</span></h3>');
    const [, headers = '', body = ''] = response.split(/<h4>Response (?:headers|body)<\/h4>/);
    expect(headers).toContain('<dt><code>Location</code>');
    expect(headers).not.toContain('<dt><code>transaction_id</code>');
    expect(body).toContain('<dt><code>transaction_id</code>');
  });

  test('lists many values where the reader can open them', () => {
    const [, arm = ''] = textOf('/docs/reference/sandbox').split('<h2 id="armSandboxFault">');
    const [, values = ''] = /<summary>The \d+ values<\/summary><ul>(.*?)<\/ul>/s.exec(arm) ?? [];
    expect(values).toContain('<li><code>createContribution</code></li>');
    expect(arm).not.toContain('&quot;createContribution&quot; or ');
  });

  test('shows a response with an example of every common header', () => {
    const [figure = ''] = /<figcaption>Response<.*?<\/figure>/s.exec(textOf('/docs/reference')) ?? [];
    const text = figure.replace(/<[^>]+>/g, '');
    for (const name of ['X-Request-Id', 'Environment', 'RateLimit', 'Cache-Control'])
      expect(text).toMatch(new RegExp(`^${name}: (?!undefined).+$`, 'm'));
  });

  test.each(listMessages())('describes the webhook $name', ({ name: type }) => {
    const id = `webhook-${type.replaceAll('.', '-')}`;
    expect(textOf('/docs/reference/webhooks')).toContain(`<h2 id="${id}">`);
    expect(textOf('/docs/reference')).toContain(`<li id="${id}"><a href="reference/webhooks#${id}">`);
  });

  test('lists the errors of every operation once', () => {
    const [, list = ''] = textOf('/docs/reference').split('<h2 id="common-errors">');
    expect(commonErrors.length).toBeGreaterThan(10);
    for (const code of commonErrors) expect(list).toContain(`href="errors#${code}"`);
  });

  test.each(['/docs/reference', ...[...referencePages, ...sdkPages].map(pathOf)])(
    '%s has at most 150 KB',
    (path) => {
      expect(Buffer.byteLength(textOf(path))).toBeLessThanOrEqual(150_000);
    },
  );

  test('does not mention a specification that partners do not have', () => {
    for (const path of pages.filter((each) => each.startsWith('/docs/reference')))
      expect(textOf(path)).not.toMatch(/interface specification|>specification|>addition</i);
  });
});

describe('a sample', () => {
  const figuresOf = (path: string): string[] =>
    [...textOf(path).matchAll(/<figure class="sample">.*?<\/figure>/gs)].map(([figure]) => figure);
  const languagesIn = (html: string, pattern: RegExp): string[] =>
    [...html.matchAll(pattern)].flatMap(([, names = '']) => names.split(' '));

  test.each(pages)('on %s has a name or tabs', (path) => {
    for (const figure of figuresOf(path))
      expect(figure).toMatch(/<figcaption>[^<]+<|<fieldset class="tabs">/);
  });

  test('of a shell colors the file that it contains in the language of the file', () => {
    const sample = /<figcaption>Shell<\/figcaption>.*?<\/figure>/s.exec(textOf('/docs/statements'))?.[0];
    expect(sample).toContain('<span class="hljs-tag">');
    expect(sample).toContain('<span class="hljs-built_in">cat</span>');
  });

  test('has one tab for each of its languages, and its output belongs to a tab', () => {
    const withTabs = pages.flatMap(figuresOf).filter((figure) => figure.includes('<fieldset'));
    expect(withTabs.length).toBeGreaterThan(50);
    for (const figure of withTabs) {
      const tabs = languagesIn(figure, /type="radio" name="[^"]+" value="(\w+)"/g);
      expect(languagesIn(figure, /<div class="part" data-languages="([^"]*)"/g)).toEqual(tabs);
      const answers = languagesIn(figure, /<div class="part answer" data-languages="([^"]*)"/g);
      expect(answers.filter((language) => !tabs.includes(language))).toEqual([]);
    }
  });

  test('shows the output of a program only for the languages that print it', () => {
    const [, sample = ''] = textOf('/docs/sdk')
      .split('supported: A library bus')[0]!
      .split(/.*<figure/s);
    expect(/part answer" data-languages="([^"]*)"/.exec(sample)?.[1]).toBe('js ts py');
  });

  test.each(pages)('on %s is named after what it is', (path) => {
    for (const figure of figuresOf(path)) {
      const code = /<code>(.*?)<\/code>/s.exec(figure)?.[1]?.replace(/<[^>]+>/g, '') ?? '';
      const name = /<figcaption>(.*?)</.exec(figure)?.[1];
      if (name === 'curl') expect(code).toMatch(/\b(call|curl|create)\b/);
      if (name === 'Output') expect(code).not.toMatch(/^(GET|PUT|POST|PATCH|DELETE) \//);
    }
  });
});

test('the paths of the start page are cards, one for each role', () => {
  const titles = textOf('/docs').match(/<section class="card"><h3 id="[^"]*">[^<]*/g);
  expect(titles?.map((title) => title.split('>').at(-1))).toEqual([
    'You show projects in an app',
    'You are a bank',
    'You work in finance',
  ]);
});

describe('PRODUCT_NAME', () => {
  const productName = 'Rivers & Sons';
  let renamed: TestService;
  beforeAll(async () => {
    renamed = await startService({ settings: { ...settings, PRODUCT_NAME: productName } });
  });
  afterAll(() => renamed.stop());
  const read = (from: TestService, path: string) => from.anonymous.raw('get', path);

  test.each(pages)('is in the title and beside the sign of %s', async (path) => {
    const { text } = await read(renamed, path);
    expect(text).toMatch(/<title>[^<]+ · Rivers &amp; Sons<\/title>/);
    expect(text).toContain('<span>Rivers &amp; Sons</span>');
    // Nothing else of a page changes.
    expect(text.replaceAll('Rivers &amp; Sons', 'Contribution Service')).toBe(textOf(path));
  });

  test('is in no response for programs', async () => {
    for (const path of [
      '/openapi.json',
      '/docs/assets/search.json',
      '/company/integration/get/projects',
      '/nosuch',
    ]) {
      const response = await read(renamed, path);
      expect(JSON.stringify([response.text, response.headers])).not.toContain('Rivers');
    }
    expect((await read(renamed, '/openapi.json')).text).toBe((await get('/openapi.json')).text);
  });

  test('is read for the pages only, not for metrics, traces or the SDK', () => {
    const root = path.join(__dirname, '..', '..');
    const readers = ['src', 'packages/sdk/src'].flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts'))
        .map((file) => path.join(folder, file))
        .filter((file) => /PRODUCT_NAME|productName/.test(readFileSync(path.join(root, file), 'utf8'))),
    );
    expect(readers.sort()).toEqual([
      'src/container.ts',
      'src/feature.ts',
      'src/features/documentation/layout.ts',
      'src/service.settings.ts',
    ]);
  });
});

test.each(['/docs/errors', '/docs/limits'])('%s omits the notes for readers of its source', (path) => {
  expect(textOf(path)).not.toMatch(/running service inserts|source-only/);
});

describe('the catalogue of errors', () => {
  test.each(errorCodes)('gives the meaning, the advice and the retryability of %s', (code) => {
    const [, entry = ''] = textOf('/docs/errors').split(`<section class="entry" id="${code}">`);
    const text = entry.slice(0, entry.indexOf('</section>'));
    expect(text).toContain(String(errorCatalog[code].status));
    for (const heading of ['Meaning', 'What to do', 'Retry']) {
      expect(text).toMatch(new RegExp(`${heading}</dt><dd>.{10,}</dd>`));
    }
  });
});

describe('the limits', () => {
  test.each([
    '20,481 bytes',
    '0.01 to 7,654.00',
    '4.1 s',
    '8.2 s',
    '1.7 s',
    '0.31 s',
    '3.3 s',
    '16.5 s',
    '0.91 s',
    '64',
    '5 s',
    '1 s',
  ])('state %s as configured', (number) => {
    expect(textOf('/docs/limits')).toContain(`<td role="cell" data-label="Value">${number}</td>`);
  });
});

describe('/openapi.json', () => {
  test('lists the operations of this service at its public address', async () => {
    const response = await get('/openapi.json');
    expect(response.get('Content-Type')).toMatch(/^application\/json/);
    expect(response.get('Cache-Control')).toBe('public, max-age=300');
    const document = createOpenApiDocument(contracts, listMessages(), listErrors(), packageJson.version);
    expect(response.body).toEqual({ ...document, servers: [{ url: publicBaseUrl }] });
    expect(response.text).toContain('0.01 to 7654.00');
  });
});

describe("the demo's key pairs", () => {
  const demo = {
    sdkHost: { apiKey: 'cpk_test_ofTheSdkHost', apiSecret: 'cps_test_ofTheSdkHost' },
    bank: { apiKey: 'cpk_test_ofTheBank', apiSecret: 'cps_test_ofTheBank' },
  };
  const documentation = (given: typeof demo | undefined) =>
    createDocumentation({
      publicBaseUrl,
      site: { version: '1.2.3', productName: 'Contribution Service' },
      contracts,
      openApiDocument: createOpenApiDocument(contracts, listMessages(), listErrors(), '1.2.3'),
      errors: errorCatalog,
      limits: publishedLimits(service.config),
      demo: given,
    });

  test('are on no page of a service without a demo', () => {
    expect(documentation(undefined).responsesWithDemo).toBeUndefined();
    for (const text of texts.values()) expect(text).not.toMatch(/cp[ks]_\w+_\w{5,}/);
  });

  test('are on no public page of a service with a demo', () => {
    for (const { content } of documentation(demo).responses.values())
      expect(String(content)).not.toContain('test_of');
  });

  test('appear in the examples and forms of pages for this machine, which are not cacheable', () => {
    const pagesWithDemo = documentation(demo).responsesWithDemo!;
    expect(pagesWithDemo.get('/docs')).toMatchObject({
      content: expect.stringContaining('cps_test_ofTheSdkHost'),
      cacheControl: 'no-store',
    });
    expect(pagesWithDemo.get('/docs/bank')?.content).toContain('cps_test_ofTheBank');
    expect(pagesWithDemo.get('/docs/reference/completions')?.content).toContain('cps_test_ofTheBank');
  });

  describe('requested through the router', () => {
    let server: Server;
    beforeAll(async () => {
      const app = express();
      const connections = new Connections(new BlockList());
      app.use((req, res, next) => {
        new RequestContext(req, res, connections.of(req.socket));
        next();
      });
      const rendered = documentation(demo);
      app.use(documentationHandler(rendered, { version: '1.2.3', productName: 'A service' }));
      server = app.listen(0, '127.0.0.1');
      await once(server, 'listening');
    });
    afterAll(() => server.close());

    const isShown = async (headers: Record<string, string>): Promise<boolean> =>
      (await request(server).get('/docs').set(headers).expect(200)).text.includes(demo.sdkHost.apiSecret);

    test.each([{}, { Host: 'localhost' }, { Host: 'localhost:3000' }, { Host: '[::1]:3000' }])(
      'are shown to a browser on this machine (%p)',
      async (headers) => {
        expect(await isShown(headers)).toBe(true);
      },
    );

    test.each([
      { Host: 'contributions.example' },
      { Host: 'localhost.example' },
      { Host: '192.168.1.20:3000' },
      { 'X-Forwarded-For': '198.51.100.7' },
      { 'X-Forwarded-Host': 'contributions.example' },
      { Forwarded: 'for=198.51.100.7' },
      { Via: '1.1 tunnel' },
    ])(
      'are not shown through a tunnel or to a page whose host name resolves to this machine (%p)',
      async (headers) => {
        expect(await isShown(headers as Record<string, string>)).toBe(false);
      },
    );
  });
});

test('the page of topics links to every page and has every synonym', () => {
  const text = textOf('/docs/topics');
  const main = text.slice(text.indexOf('<main'));
  for (const path of pages.filter((page) => page !== '/docs/topics'))
    expect(main).toContain(`href="${path === '/docs' ? '../docs' : path.replace('/docs/', '')}"`);
  for (const word of Object.keys(synonyms)) expect(main).toContain(`<dt>${word}</dt>`);
});

describe('the index of the search', () => {
  const path = '/docs/assets/search.json';
  let entries: { page: string; title: string; text: string; keywords?: string; address: string }[];

  beforeAll(async () => {
    ({ entries } = (await get(path)).body);
  });

  test('links to every page, operation and error code, and to nothing that is missing', () => {
    const targets = entries.map(({ address }) => {
      const { pathname, hash } = new URL(address, `http://service${path}`);
      return { pathname, id: hash.slice(1) };
    });
    expect(
      targets.filter(
        ({ pathname, id }) => !texts.has(pathname) || (id !== '' && !idsIn(textOf(pathname)).includes(id)),
      ),
    ).toEqual([]);
    const found = new Set(targets.map(({ pathname, id }) => `${pathname}#${id}`));
    const expected = [
      ...pages.filter((page) => page !== '/docs/topics').map((page) => `${page}#`),
      ...contracts.map((contract) => `${pathOf(pageOfOperation(contract))}#${contract.operationId}`),
      ...errorCodes.map((code) => `/docs/errors#${code}`),
    ];
    expect(expected.filter((target) => !found.has(target))).toEqual([]);
  });

  test('contains text without markup, examples and key pairs', () => {
    expect(
      entries.filter(
        ({ title, text }) => title === '' || /<\/?(a|code|div|p|span)\b|&\w+;|cp[ks]_\w+_\w/.test(text),
      ),
    ).toEqual([]);
    expect(entries.find(({ title }) => title === 'rate_limited')).toEqual({
      page: 'Errors',
      title: 'rate_limited',
      text: expect.stringMatching(/^429 Too many requests Meaning .* Wait Retry-After seconds, then retry\./),
      address: '../../docs/errors#rate_limited',
      keywords: expect.stringContaining('Retry-After'),
    });
  });

  test('has a section for all keywords', () => {
    const withKeywords = entries.filter(({ keywords: own }) => own !== undefined);
    expect(
      withKeywords
        .map(({ address }) =>
          address.replace(/^\.\.\/\.\.\/docs\/?(#)?/, (_whole, hash) => (hash ? 'start#' : '')),
        )
        .sort(),
    ).toEqual(Object.keys(keywords).sort());
  });
});
