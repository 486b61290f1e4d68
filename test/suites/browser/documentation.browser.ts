import path from 'node:path';

import type { Browser, Page } from 'puppeteer-core';

import { pageNames, pathOf } from '../../../src/documentation/links';
import { errorCodes } from '../../../src/shared/errors';
import { sample } from '../../support/full-run';
import { build, killLeftoverProcesses, RunningService, temporaryFolder } from '../../support/program';
import { findViolations, openPage, schemes, startBrowser, type Width, widths } from './browser';

/** The documentation in a real browser, with a running service and its demo. */
const nowhere = '/docs/nothing/is/here';
const pages = [...pageNames.map(pathOf), nowhere];
/** What Chromium reports about the status of the page itself. */
const statusReport = 'Failed to load resource: the server responded with a status of 404 (Not Found)';
const cases = pages.flatMap((page) =>
  schemes.flatMap((scheme) => (Object.keys(widths) as Width[]).map((width) => ({ page, scheme, width }))),
);

let folder: ReturnType<typeof temporaryFolder>;
let service: RunningService;
let browser: Browser;

beforeAll(async () => {
  await build();
  folder = temporaryFolder();
  service = await RunningService.start({ DATA_DIRECTORY: path.join(folder.path, '.data') });
  browser = await startBrowser();
});
afterAll(async () => {
  try {
    await browser.close();
    await service.signal('SIGTERM');
  } finally {
    // This runs after a failed start as well, because Jest waits for a program that still runs.
    await killLeftoverProcesses();
    folder.remove();
  }
});

/** Opens the form of an operation. */
async function openForm(page: Page, operationId: string): Promise<string> {
  const form = `section[aria-labelledby="${operationId}"] form`;
  await page.click(`section[aria-labelledby="${operationId}"] details.try > summary`);
  await page.waitForSelector(form, { visible: true });
  return form;
}

async function sendForm(page: Page, form: string): Promise<string> {
  await page.click(`${form} button[type="submit"]`);
  await page.waitForSelector(`${form} .answer .good, ${form} .answer .bad`);
  return page.$eval(`${form} .answer`, (response) => response.textContent);
}

async function fillIn(page: Page, selector: string, text: string): Promise<void> {
  await page.$eval(selector, (field) => {
    (field as HTMLInputElement).value = '';
  });
  await page.type(selector, text);
}

describe.each(sample(cases, 3))('$page, $scheme, on a $width', ({ page: pagePath, scheme, width }) => {
  test('loads only from this service without errors, fits the window, and has no accessibility violation', async () => {
    const { page, complaints, requested } = await openPage(browser, service.baseUrl + pagePath, {
      scheme,
      width,
      waitUntil: 'networkidle0',
    });
    expect(complaints).toEqual(pagePath === nowhere ? [statusReport] : []);
    expect(requested.filter((url) => !url.startsWith(`${service.baseUrl}/`))).toEqual([]);
    const [shown, needed] = await page.evaluate(() => [
      window.innerWidth,
      document.documentElement.scrollWidth,
    ]);
    expect(needed).toBeLessThanOrEqual(shown!);
    // Collapsed sections are checked as well.
    await page.$$eval('details', (all) => {
      for (const details of all) details.open = true;
    });
    expect(await findViolations(page)).toEqual([]);
    await page.close();
  });
});

test('axe finds a missing label and a weak contrast', async () => {
  const { page } = await openPage(browser, `${service.baseUrl}/docs/reference`);
  await page.evaluate(() => {
    document.querySelector('label[for="api-key"]')!.remove();
    document.querySelector('#api-key')!.removeAttribute('placeholder');
    document.querySelector('h1')!.style.color = '#bbb';
  });
  const violations = await findViolations(page);
  expect(violations.map((violation) => violation.split(':')[0]).sort()).toEqual(['color-contrast', 'label']);
  await page.close();
});

describe('trying an operation', () => {
  const reference = () => openPage(browser, `${service.baseUrl}/docs/reference`);

  test("the demo's key pair gets the main component", async () => {
    const { page, complaints } = await reference();
    await page.click('button[data-key]');
    const response = await sendForm(page, await openForm(page, 'getProjectsAndStories'));
    expect(response).toContain('Response 200');
    expect(response).toContain('Environment: test');
    expect(response).toContain('Clean water for Kisumu');
    expect(complaints).toEqual([]);
    await page.close();
  });

  test('the bank can complete a created contribution, and its id is passed on', async () => {
    const { page } = await reference();
    const [sdkHost, bank] = await page.$$('button[data-key]');
    await sdkHost!.click();
    const created = await sendForm(page, await openForm(page, 'createContribution'));
    expect(created).toContain('Response 201');
    await bank!.click();
    const completed = await sendForm(page, await openForm(page, 'completeContribution'));
    const id = /"transaction_id": "(\w{15})"/.exec(created)![1];
    // The example's amount is the amount of the created contribution.
    expect(completed).toContain('Response 200');
    expect(completed).toContain(`"transaction_id": "${id}"`);
    await page.close();
  });

  test('an error is shown as received, and the curl command contains no secret', async () => {
    const { page } = await reference();
    await page.click('button[data-key]');
    const secret = await page.$eval('#api-secret', (field) => (field as HTMLInputElement).value);
    const form = await openForm(page, 'getProject');
    await fillIn(page, `${form} input[name="project_id"]`, "it's");
    const response = await sendForm(page, form);
    expect(response).toContain('Response 400');
    expect(response).toContain('"code": "invalid_format"');
    expect(response).toContain('$API_SECRET');
    expect(response).not.toContain(secret);
    await page.close();
  });

  test('without a key pair the service says what is missing', async () => {
    const { page } = await reference();
    const response = await sendForm(page, await openForm(page, 'listProjects'));
    expect(response).toContain('credentials_malformed');
    await page.close();
  });

  test.each(['#api-key', '#api-secret'])(
    'a production value in %s causes a warning, and nothing is sent before confirmation',
    async (field) => {
      const { page, requested } = await reference();
      expect(await page.$eval('#production-warning', (warning) => warning.checkVisibility())).toBe(false);
      await fillIn(page, field, field === '#api-key' ? 'cpk_production_x' : 'cps_production_x');
      expect(await page.$eval('#production-warning', (warning) => warning.checkVisibility())).toBe(true);
      const before = requested.length;
      const form = await openForm(page, 'listProjects');
      expect(await sendForm(page, form)).toContain('Nothing was sent');
      expect(requested.length).toBe(before);
      await page.click('#production-meant');
      await page.click(`${form} button[type="submit"]`);
      await page.waitForFunction(
        (selector) => document.querySelector(`${selector} .answer`)?.textContent.includes('Response 401'),
        {},
        form,
      );
      await page.close();
    },
  );

  test('the key pair is not stored, and is gone after leaving and coming back', async () => {
    const { page } = await reference();
    await page.click('button[data-key]');
    await sendForm(page, await openForm(page, 'getProjectsAndStories'));
    expect(await page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie])).toEqual([
      0,
      0,
      '',
    ]);
    await page.goto(`${service.baseUrl}/docs`);
    await page.goBack();
    const values = () =>
      page.$$eval('#api-key, #api-secret', (all) => all.map((field) => (field as HTMLInputElement).value));
    expect(await values()).toEqual(['', '']);
    await page.close();
  });
});

describe('samples in several languages', () => {
  /** The languages of the samples that are visible. */
  const visibleLanguages = (page: Page, selector = '.samples figure'): Promise<string[]> =>
    page.$$eval(selector, (figures) => [
      ...new Set(
        figures
          .filter((each) => each.checkVisibility())
          .map((each) => (each as HTMLElement).dataset['language'] ?? ''),
      ),
    ]);

  test('the keyboard chooses a language for all samples, and the next page remembers it', async () => {
    const { page, complaints } = await openPage(browser, `${service.baseUrl}/docs/reference`);
    // The SDK has no method for two of the paths of a create.
    expect((await visibleLanguages(page)).sort()).toEqual(['js', 'sh']);
    await page.focus('.samples [aria-selected="true"]');
    // Uploads are shown with the SDK only.
    const inAll = '.samples:has([data-language="py"]) figure';
    await page.keyboard.press('ArrowRight');
    expect(await visibleLanguages(page, inAll)).toEqual(['sh']);
    await page.keyboard.press('ArrowRight');
    expect(await visibleLanguages(page, inAll)).toEqual(['ts']);
    await page.keyboard.press('End');
    expect(await visibleLanguages(page, inAll)).toEqual(['py']);
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Python');
    await page.goto(`${service.baseUrl}/docs/bank`);
    // A sample without Python shows another language.
    expect(await visibleLanguages(page, inAll)).toEqual(['py']);
    expect(await findViolations(page)).toEqual([]);
    await page.evaluate(() => {
      localStorage.clear();
    });
    expect(complaints).toEqual([]);
    await page.close();
  });

  test('without the script, all samples are visible', async () => {
    const page = await browser.newPage();
    await page.setJavaScriptEnabled(false);
    await page.goto(`${service.baseUrl}/docs/reference`);
    expect((await visibleLanguages(page)).sort()).toEqual(['js', 'py', 'sh', 'ts']);
    await page.close();
  });
});

describe('the search', () => {
  const typed = async (text: string, width: Width = 'desktop'): Promise<Page> => {
    const { page } = await openPage(browser, `${service.baseUrl}/docs/bank`, { width });
    await page.keyboard.press('/');
    await page.keyboard.type(text);
    return page;
  };
  const titles = (page: Page): Promise<(string | null)[]> =>
    page.$$eval('.results a .result-title', (all) => all.map((title) => title.textContent));

  test('finds an error code while it is typed, and Enter opens its entry', async () => {
    const page = await typed('amount_mis');
    await page.waitForSelector('.results:not([hidden]) a');
    expect((await titles(page))[0]).toBe('amount_mismatch');
    expect(await findViolations(page)).toEqual([]);
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    expect(page.url()).toBe(`${service.baseUrl}/docs/errors#amount_mismatch`);
    await page.close();
  });

  test('arrow keys move through the results, and Escape closes them', async () => {
    const page = await typed('create a contribution');
    await page.waitForSelector('.results:not([hidden]) a');
    expect(await titles(page)).toContain('Create a contribution');
    await page.keyboard.press('ArrowDown');
    expect(await page.evaluate(() => document.activeElement?.closest('.results') !== null)).toBe(true);
    await page.keyboard.press('Escape');
    expect(await page.$eval('.results', (results) => results.checkVisibility())).toBe(false);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('search');
    await page.close();
  });

  test('groups the results by page, and marks the words in a sentence of each', async () => {
    const page = await typed('paginate');
    await page.waitForSelector('.results:not([hidden]) a');
    expect((await titles(page))[0]).toBe('Projects and paging');
    const pages = await page.$$eval('.results .result-page', (all) => all.map((each) => each.textContent));
    expect(pages[0]).toBe('SDK hosts');
    expect(new Set(pages).size).toBe(pages.length);
    expect(await page.$$eval('.results mark', (all) => all.length)).toBeGreaterThan(0);
    expect(await findViolations(page)).toEqual([]);
    await page.close();
  });

  test('without the script is a link to all topics', async () => {
    const page = await browser.newPage();
    await page.setJavaScriptEnabled(false);
    await page.goto(`${service.baseUrl}/docs/bank`);
    expect(await page.$eval('form.search', (form) => form.checkVisibility())).toBe(false);
    await Promise.all([page.waitForNavigation(), page.click('header noscript a')]);
    expect(page.url()).toBe(`${service.baseUrl}/docs/topics`);
    await page.close();
  });

  test('on a phone has results as wide as the screen', async () => {
    const page = await typed('', 'phone');
    await page.focus('#search');
    await page.keyboard.type('Retry-After');
    await page.waitForSelector('.results:not([hidden]) a');
    const width = await page.$eval('.results', (results) => results.getBoundingClientRect().width);
    expect(width).toBe(await page.evaluate(() => document.documentElement.clientWidth));
    expect(await findViolations(page)).toEqual([]);
    await page.close();
  });

  test('on a phone says that nothing was found', async () => {
    const page = await typed('', 'phone');
    await page.focus('#search');
    await page.keyboard.type('nosuchword');
    await page.waitForFunction(
      () => document.querySelector('.search [role="status"]')?.textContent === 'No results',
    );
    expect(await findViolations(page)).toEqual([]);
    await page.close();
  });
});

test('the navigation is at the same place on a guide and on the reference', async () => {
  const leftOf = async (path: string): Promise<number> => {
    const { page } = await openPage(browser, service.baseUrl + path);
    const left = await page.$eval('nav.beside', (navigation) => navigation.getBoundingClientRect().left);
    await page.close();
    return left;
  };
  expect(await leftOf('/docs')).toBe(await leftOf('/docs/reference'));
});

test('the navigation marks the section at the top of the screen', async () => {
  const { page } = await openPage(browser, `${service.baseUrl}/docs/reference#completeContribution`);
  const marked = 'nav.beside a[aria-current="location"]';
  await page.waitForSelector(marked);
  expect(await page.$$eval(marked, (all) => all.map((link) => link.getAttribute('href')))).toEqual([
    '#completeContribution',
  ]);
  await page.close();
});

test('examples are beside the text on a desktop and below it on a phone', async () => {
  for (const [width, isBeside] of [
    ['desktop', true],
    ['phone', false],
  ] as const) {
    const { page } = await openPage(browser, `${service.baseUrl}/docs/reference`, { width });
    const [isRight, isBelow] = await page.$eval(
      'section[aria-labelledby="createContribution"]',
      (operation) => {
        const text = operation.querySelector('.explained')!.getBoundingClientRect();
        const examples = operation.querySelector('.examples')!.getBoundingClientRect();
        return [examples.left >= text.right, examples.top >= text.bottom];
      },
    );
    expect([isRight, isBelow]).toEqual([isBeside, !isBeside]);
    await page.close();
  }
});

describe('with the keyboard', () => {
  test('the first focusable element is a working skip link', async () => {
    const { page } = await openPage(browser, `${service.baseUrl}/docs/sdk`);
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to content');
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('content');
    await page.close();
  });

  test('focus is visible on every focusable element', async () => {
    const { page } = await openPage(browser, `${service.baseUrl}/docs/errors`);
    for (let stop = 0; stop < 40; stop += 1) {
      await page.keyboard.press('Tab');
      const [name, outline] = await page.evaluate(() => {
        const focused = document.activeElement!;
        return [focused.outerHTML.slice(0, 80), getComputedStyle(focused).outlineStyle];
      });
      expect([name, outline]).toEqual([name, 'solid']);
    }
    await page.close();
  });

  test('a form is opened, filled in and sent', async () => {
    const { page } = await openPage(browser, `${service.baseUrl}/docs/reference`);
    await page.focus('button[data-key]');
    await page.keyboard.press('Enter');
    await page.focus('section[aria-labelledby="getProject"] details.try > summary');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => (document.activeElement as HTMLInputElement).name)).toBe('project_id');
    await page.keyboard.press('Enter');
    await page.waitForSelector('section[aria-labelledby="getProject"] .answer .good');
    await page.close();
  });

  test('on a phone the navigation expands', async () => {
    const { page } = await openPage(browser, `${service.baseUrl}/docs`, { width: 'phone' });
    const isShown = () => page.$eval('nav.folded a[href="docs/bank"]', (link) => link.checkVisibility());
    expect(await isShown()).toBe(false);
    await page.focus('nav.folded summary');
    await page.keyboard.press('Enter');
    expect(await isShown()).toBe(true);
    await page.close();
  });
});

describe('the type of a problem', () => {
  test.each(sample(errorCodes, 8))('%s opens at its entry', async (code) => {
    const { page } = await openPage(browser, `${service.baseUrl}/docs/errors#${code}`);
    const top = await page.$eval(`#${code}`, (entry) => entry.getBoundingClientRect().top);
    const atEnd = await page.evaluate(
      () => window.scrollY + window.innerHeight >= document.body.scrollHeight - 2,
    );
    expect(top).toBeGreaterThanOrEqual(0);
    expect(atEnd || top < 100).toBe(true);
    await page.close();
  });
});

test('without JavaScript every page is readable, and the navigation expands', async () => {
  const page = await browser.newPage();
  await page.setJavaScriptEnabled(false);
  await page.goto(`${service.baseUrl}/docs/reference`);
  const text = await page.$eval('main', (main) => main.innerText);
  expect(text).toContain('Trying an operation here requires JavaScript');
  expect(text).toContain('Create a contribution');
  await page.close();
});
