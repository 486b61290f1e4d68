import { readFileSync } from 'node:fs';

import puppeteer, { type Browser, type Page } from 'puppeteer-core';

/** A small and a common phone, a tablet, and a common desktop window. */
export const widths = { smallPhone: 320, phone: 390, tablet: 1024, desktop: 1440 } as const;
export type Width = keyof typeof widths;
export const schemes = ['light', 'dark'] as const;
export type Scheme = (typeof schemes)[number];

/** Headless Chromium. Its sandbox does not work as root, and it opens only this project's pages. */
export function startBrowser(): Promise<Browser> {
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return puppeteer.launch({ executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium', args });
}

/** A page, with everything that the browser reported and every URL that it requested. */
export interface WatchedPage {
  page: Page;
  complaints: string[];
  requested: string[];
}

interface OpenOptions {
  width?: Width;
  scheme?: Scheme;
  /** `networkidle0` includes requests that the browser sends after the page has loaded. */
  waitUntil?: 'load' | 'networkidle0';
}

export async function openPage(
  browser: Browser,
  url: string,
  { width = 'desktop', scheme = 'light', waitUntil = 'load' }: OpenOptions = {},
): Promise<WatchedPage> {
  const page = await browser.newPage();
  const complaints: string[] = [];
  const requested: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warn', 'issue'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => {
    complaints.push(String(error));
  });
  page.on('requestfailed', (request) => {
    complaints.push(`${request.url()} failed`);
  });
  page.on('request', (request) => {
    requested.push(request.url());
  });
  await page.setViewport({ width: widths[width], height: 800 });
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
  await page.goto(url, { waitUntil });
  return { page, complaints, requested };
}

interface AxeViolation {
  id: string;
  help: string;
  nodes: { target: unknown[]; failureSummary?: string }[];
}

const axeSource = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/**
 * Violations of WCAG A and AA that axe-core finds. It is injected over the debugging protocol,
 * which bypasses the page's policy, so the policy is tested as served.
 */
export async function findViolations(page: Page): Promise<string[]> {
  await page.evaluate(axeSource);
  const violations = (await page.evaluate(`axe.run(document, {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
    resultTypes: ['violations'],
  }).then(({ violations }) => violations)`)) as AxeViolation[];
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary = '' }) => `${id}: ${help}: ${String(target)}\n${failureSummary}`),
  );
}
