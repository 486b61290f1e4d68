import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import type { Browser } from 'puppeteer-core';

import { renderReport } from '../../../src/features/bank-statements/report/report-page';
import { temporaryFolder } from '../../support/program';
import { hostileNames, reportData } from '../../support/report-data';
import { findViolations, openPage, schemes, startBrowser, type Width, widths } from './browser';

/** The report of `reconciliation report` in a real browser, with hostile names. */
let folder: ReturnType<typeof temporaryFolder>;
let browser: Browser;
let url: string;

beforeAll(async () => {
  folder = temporaryFolder();
  const file = path.join(folder.path, 'report.html');
  writeFileSync(file, renderReport(reportData(hostileNames.join(' '), { work: { files: 1, days: 2 } })));
  url = pathToFileURL(file).href;
  browser = await startBrowser();
});
afterAll(async () => {
  await browser.close();
  folder.remove();
});

const cases = schemes.flatMap((scheme) =>
  (Object.keys(widths) as Width[]).map((width) => ({ scheme, width })),
);

test.each(cases)(
  'on a $width in $scheme, the report loads nothing, runs nothing, fits and is accessible',
  async ({ scheme, width }) => {
    const { page, complaints, requested } = await openPage(browser, url, {
      scheme,
      width,
      waitUntil: 'networkidle0',
    });
    expect(complaints).toEqual([]);
    expect(requested).toEqual([url]);
    const [shown, needed] = await page.evaluate(() => [
      window.innerWidth,
      document.documentElement.scrollWidth,
    ]);
    expect(needed).toBeLessThanOrEqual(shown!);
    expect(await page.evaluate(() => document.scripts.length)).toBe(0);
    expect(await findViolations(page)).toEqual([]);
    const folderOfShots = process.env['REPORT_SCREENSHOTS'];
    if (folderOfShots !== undefined) {
      await page.screenshot({ path: `${folderOfShots}/report-${scheme}-${width}.png`, fullPage: true });
    }
    await page.close();
  },
);
