import path from 'node:path';

import type { Browser, Page } from 'puppeteer-core';

import { pageNames, pathOf } from '../../../src/features/documentation/links';
import { sampleLanguages } from '../../../src/features/documentation/samples';
import { sample } from '../../support/full-run';
import { build, killLeftoverProcesses, RunningService, temporaryFolder } from '../../support/program';
import { findViolations, openPage, schemes, startBrowser, type Width, widths } from './browser';
import { errorCodes } from '../../support/errors';

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
  // On a busy machine, the build and the demo take minutes.
}, 300_000);
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
  await page.waitForSelector(`${form} .result .good, ${form} .result .bad`);
  return page.$eval(`${form} .result`, (response) => response.textContent);
}

/** Enters a key pair of the demo: of its SDK host or of its bank. */
async function usePairOf(page: Page, form: string, which: 'SDK host' | 'bank'): Promise<void> {
  await page.click(`${form} ::-p-text(Use the demo’s ${which})`);
}

const pairFields = (part: 'key' | 'secret'): string => `[data-pair="${part}"]`;

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
    document.querySelector('label[for="search"]')!.remove();
    document.querySelector('#search')!.removeAttribute('placeholder');
    document.querySelector('h1')!.style.color = '#bbb';
  });
  const violations = await findViolations(page);
  expect(violations.map((violation) => violation.split(':')[0]).sort()).toEqual(['color-contrast', 'label']);
  await page.close();
});

/** The blocks of code that are wider than their column, in every language of the page. */
function findCutCode(page: Page): Promise<string[]> {
  return page.evaluate((languages) => {
    for (const details of document.querySelectorAll('details')) details.open = true;
    const isCut = (pre: HTMLPreElement): boolean => {
      const { right } = pre.getBoundingClientRect();
      const column = pre.closest('figure')!.parentElement!.getBoundingClientRect();
      const isTall = pre.scrollHeight > pre.clientHeight + 1;
      const canExpand = pre.parentElement!.querySelector('.more') !== null;
      return pre.scrollWidth > pre.clientWidth || right > column.right + 1 || (isTall && !canExpand);
    };
    return languages.flatMap((language) => {
      for (const tab of document.querySelectorAll<HTMLInputElement>(`.tabs input[value="${language}"]`))
        tab.checked = true;
      const visible = [...document.querySelectorAll('pre')].filter((pre) => pre.checkVisibility());
      if (visible.length === 0 && document.querySelector('pre') !== null) return ['none is visible'];
      return visible.filter(isCut).map((pre) => `${language}: ${pre.textContent.slice(0, 60)}`);
    });
  }, Object.keys(sampleLanguages));
}

describe.each(['desktop', 'phone'] as const)('on a %s', (width) => {
  test.each(pages)('every block of code on %s fits its column', async (pagePath) => {
    const { page } = await openPage(browser, service.baseUrl + pagePath, { width });
    expect(await findCutCode(page)).toEqual([]);
    await page.close();
  });
});

test('code beside the text is wide enough for most lines on a laptop', async () => {
  const { page } = await openPage(browser, `${service.baseUrl}/docs/reference/contributions`);
  await page.setViewport({ width: 1200, height: 800 });
  const widest = await page.$eval('.examples', (examples) => examples.getBoundingClientRect().width);
  expect(widest).toBeGreaterThan(360);
  await page.close();
});

test('a long line of code continues to the right of its beginning, and is copied as it is', async () => {
  const { page } = await openPage(browser, `${service.baseUrl}/docs/errors`, { width: 'smallPhone' });
  const lines = await page.$$eval('.line', (all) =>
    all
      .filter((line) => line.checkVisibility())
      .map((line) => {
        const range = document.createRange();
        range.selectNodeContents(line);
        const [first, ...others] = range.getClientRects();
        const rest = others.filter(({ top }) => top > first!.bottom - 2);
        const indentation = /^ */.exec(line.textContent)![0].length;
        return { begins: indentation * 7.5, continues: rest.map(({ left }) => left - first!.left) };
      }),
  );
  const wrapped = lines.filter(({ continues }) => continues.length > 0);
  expect(wrapped.length).toBeGreaterThan(3);
  for (const { begins, continues } of wrapped) expect(Math.min(...continues)).toBeGreaterThan(begins + 15);
  const [code, selected] = await page.$eval('.answer code', (each) => {
    getSelection()!.selectAllChildren(each);
    return [each.textContent, String(getSelection())];
  });
  expect(selected).toBe(code);
  expect(() => JSON.parse(code!) as unknown).not.toThrow();
  await page.close();
});

test('the rows of the reference have their method and path on one line, in line with the title', async () => {
  const { page } = await openPage(browser, `${service.baseUrl}/docs/reference`);
  const rows = await page.$$eval('.index-list li:has(.method)', (all) =>
    all.map((row) => {
      // A long title continues on a second line.
      const centers = ['a', '.method', 'code'].map((part) => {
        const range = document.createRange();
        range.selectNodeContents(row.querySelector(part)!);
        const { top, bottom } = range.getClientRects()[0]!;
        return (top + bottom) / 2;
      });
      return Math.max(...centers) - Math.min(...centers);
    }),
  );
  expect(rows.length).toBeGreaterThan(30);
  expect(Math.max(...rows)).toBeLessThan(3);
  await page.close();
});

test('a long block of code is printed as a whole', async () => {
  const { page } = await openPage(browser, `${service.baseUrl}/docs/reference/statement-entries`);
  await page.emulateMediaType('print');
  const blocks = await page.$$eval('.long > pre', (all) =>
    all
      .filter((pre) => pre.checkVisibility())
      .map((pre) => [pre.scrollHeight - pre.clientHeight, getComputedStyle(pre).maskImage]),
  );
  expect(blocks.length).toBeGreaterThan(1);
  for (const block of blocks) expect(block).toEqual([0, 'none']);
  await page.close();
});

test('a block of code that does not wrap is found', async () => {
  const { page } = await openPage(browser, `${service.baseUrl}/docs/bank`);
  await page.evaluate(() => {
    for (const pre of document.querySelectorAll('pre')) pre.style.whiteSpace = 'pre';
  });
  expect((await findCutCode(page)).length).toBeGreaterThan(5);
  await page.close();
});

describe('trying an operation', () => {
  const open = (name: string) => openPage(browser, `${service.baseUrl}/docs/reference/${name}`);
  const projects = () => open('projects-and-stories');

  test("the demo's key pair gets the main component", async () => {
    const { page, complaints } = await projects();
    const form = await openForm(page, 'getProjectsAndStories');
    await usePairOf(page, form, 'SDK host');
    const response = await sendForm(page, form);
    expect(response).toContain('Response 200');
    expect(response).toContain('Environment: test');
    expect(response).toContain('Clean water for Kisumu');
    expect(await findViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test('the bank can complete a created contribution, whose id its page has', async () => {
    const { page } = await open('contributions');
    const create = await openForm(page, 'createContribution');
    await usePairOf(page, create, 'SDK host');
    const created = await sendForm(page, create);
    expect(created).toContain('Response 201');
    await page.goto(`${service.baseUrl}/docs/reference/completions`);
    const complete = await openForm(page, 'completeContribution');
    await usePairOf(page, complete, 'bank');
    const completed = await sendForm(page, complete);
    const id = /"transaction_id": "(\w{15})"/.exec(created)![1];
    // The example's amount is the amount of the created contribution.
    expect(completed).toContain('Response 200');
    expect(completed).toContain(`"transaction_id": "${id}"`);
    await page.close();
  });

  test('an error is shown as received, and the curl command contains no secret', async () => {
    const { page } = await projects();
    const form = await openForm(page, 'getProject');
    await usePairOf(page, form, 'SDK host');
    const secret = await page.$eval(
      `${form} ${pairFields('secret')}`,
      (field) => (field as HTMLInputElement).value,
    );
    await fillIn(page, `${form} input[name="project_id"]`, "it's");
    const response = await sendForm(page, form);
    expect(response).toContain('Response 400');
    expect(response).toContain('"code": "invalid_format"');
    expect(response).toContain('$CONTRIBUTION_API_SECRET');
    expect(response).not.toContain(secret);
    await page.close();
  });

  test('the fields for the pair are above every "Send", and all have the same values', async () => {
    const { page } = await projects();
    const form = await openForm(page, 'getProject');
    await fillIn(page, `${form} ${pairFields('key')}`, 'cpk_test_x');
    const values = await page.$$eval('main form', (forms) =>
      forms.map((each) => {
        const key = each.querySelector<HTMLInputElement>('[data-pair="key"]')!;
        const send = each.querySelector('button[type="submit"]')!;
        return [key.value, key.compareDocumentPosition(send) === Node.DOCUMENT_POSITION_FOLLOWING];
      }),
    );
    expect(values.length).toBeGreaterThan(3);
    for (const value of values) expect(value).toEqual(['cpk_test_x', true]);
    await page.close();
  });

  test.each([
    ['', 'API-Key'],
    ['cpk_test_x', 'API-Secret'],
  ])('with the key "%s" and no secret, "Send" sends nothing and asks for the %s', async (key, missing) => {
    const { page, requested } = await projects();
    const form = await openForm(page, 'listProjects');
    if (key !== '') await fillIn(page, `${form} ${pairFields('key')}`, key);
    const before = requested.length;
    expect(await sendForm(page, form)).toBe(`Nothing was sent: enter your ${missing} above.`);
    expect(requested.length).toBe(before);
    expect(await page.evaluate(() => (document.activeElement as HTMLElement).dataset['pair'])).toBe(
      missing === 'API-Key' ? 'key' : 'secret',
    );
    await page.close();
  });

  test.each(['key', 'secret'] as const)(
    'a production %s causes a warning, and nothing is sent before confirmation',
    async (part) => {
      const { page, requested } = await projects();
      const form = await openForm(page, 'listProjects');
      const isWarned = () => page.$eval(`${form} .production`, (warning) => warning.checkVisibility());
      await fillIn(page, `${form} ${pairFields('key')}`, 'cpk_test_x');
      await fillIn(page, `${form} ${pairFields('secret')}`, 'cps_test_x');
      expect(await isWarned()).toBe(false);
      await fillIn(page, `${form} ${pairFields(part)}`, `${part === 'key' ? 'cpk' : 'cps'}_production_x`);
      expect(await isWarned()).toBe(true);
      const before = requested.length;
      expect(await sendForm(page, form)).toContain('Nothing was sent');
      expect(requested.length).toBe(before);
      await page.click(`${form} [data-pair="production"]`);
      await page.click(`${form} button[type="submit"]`);
      await page.waitForFunction(
        (selector) => document.querySelector(`${selector} .result`)?.textContent.includes('Response 401'),
        {},
        form,
      );
      await page.close();
    },
  );

  test('the key pair is not stored, and is gone after leaving and coming back', async () => {
    const { page } = await projects();
    const form = await openForm(page, 'getProjectsAndStories');
    await usePairOf(page, form, 'SDK host');
    await sendForm(page, form);
    expect(await page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie])).toEqual([
      0,
      0,
      '',
    ]);
    await page.goto(`${service.baseUrl}/docs`);
    await page.goBack();
    const values = await page.$$eval(`${pairFields('key')}, ${pairFields('secret')}`, (all) =>
      all.map((field) => (field as HTMLInputElement).value),
    );
    expect([...new Set(values)]).toEqual(['']);
    await page.close();
  });
});

describe('samples in several languages', () => {
  const parts = '.sample:has(.tabs) > .part:not(.answer)';
  /** The languages of the samples that are visible. */
  const visibleLanguages = (page: Page, selector = parts): Promise<string[]> =>
    page.$$eval(selector, (all) => [
      ...new Set(
        all
          .filter((each) => each.checkVisibility())
          .map((each) => (each as HTMLElement).dataset['languages'] ?? ''),
      ),
    ]);
  // Some samples lack a language, and show another.
  const inAll = parts.replace('.tabs', '[value="py"]').replace('.sample', '.sample:has([value="js"])');

  test('the keyboard chooses a language for all samples, and the next page remembers it', async () => {
    const { page, complaints } = await openPage(browser, `${service.baseUrl}/docs/reference/contributions`);
    // The SDK has no method for two of the paths of a create.
    expect((await visibleLanguages(page)).sort()).toEqual(['js', 'sh']);
    await page.focus('.tabs :checked');
    for (const language of ['sh', 'ts', 'py']) {
      await page.keyboard.press('ArrowRight');
      expect(await visibleLanguages(page, inAll)).toEqual([language]);
    }
    await page.goto(`${service.baseUrl}/docs/bank`);
    expect(await visibleLanguages(page, inAll)).toEqual(['py']);
    expect(await findViolations(page)).toEqual([]);
    await page.evaluate(() => {
      localStorage.clear();
    });
    expect(complaints).toEqual([]);
    await page.close();
  });

  /** Whether the output of the first sample of the guide that has all languages is visible. */
  const isOutputShown = (page: Page): Promise<boolean> =>
    page.$eval('.answer[data-languages="js ts py"]', (answer) => answer.checkVisibility());

  test.each([true, false])('the output belongs to its tab (with the script: %s)', async (hasScript) => {
    const page = await browser.newPage();
    await page.setJavaScriptEnabled(hasScript);
    await page.goto(`${service.baseUrl}/docs/sdk`);
    const sample = '.sample:has(> .answer[data-languages="js ts py"]):has([value="sh"])';
    expect(await isOutputShown(page)).toBe(true);
    await page.click(`${sample} label:has([value="sh"])`);
    expect(await visibleLanguages(page, `${sample} > .part`)).toEqual(['sh']);
    await page.click(`${sample} label:has([value="py"])`);
    expect(await visibleLanguages(page, `${sample} > .part`)).toEqual(['py', 'js ts py']);
    await page.close();
  });

  test('long code shows all of its lines on request, without the script, too', async () => {
    const page = await browser.newPage();
    await page.setJavaScriptEnabled(false);
    await page.goto(`${service.baseUrl}/docs/start`);
    const hidden = () =>
      page.$eval(
        '.part:not([data-languages="py"]) > .long > pre',
        (pre) => pre.scrollHeight - pre.clientHeight,
      );
    expect(await hidden()).toBeGreaterThan(100);
    await page.click('.part:not([data-languages="py"]) > .long > .more');
    expect(await hidden()).toBe(0);
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

  test('on a phone has results as wide as the text', async () => {
    const page = await typed('', 'phone');
    await page.focus('#search');
    await page.keyboard.type('Retry-After');
    await page.waitForSelector('.results:not([hidden]) a');
    const width = await page.$eval('.results', (results) => results.getBoundingClientRect().width);
    expect(width).toBe(await page.$eval('h1', (heading) => heading.getBoundingClientRect().width));
    expect(await findViolations(page)).toEqual([]);
    await page.close();
  });

  test('on a phone says that nothing was found', async () => {
    const page = await typed('', 'phone');
    await page.focus('#search');
    await page.keyboard.type('nosuchword');
    await page.waitForFunction(() =>
      document.querySelector('.search [role="status"]')?.textContent.startsWith('No results'),
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
  const address = `${service.baseUrl}/docs/reference/completions#recordReturn`;
  const { page } = await openPage(browser, address);
  const marked = 'nav.beside a[aria-current="location"]';
  await page.waitForSelector(marked);
  expect(await page.$$eval(marked, (all) => all.map((link) => link.getAttribute('href')))).toEqual([
    '#recordReturn',
  ]);
  await page.close();
});

test('the old address of an operation opens its page', async () => {
  const { page } = await openPage(browser, `${service.baseUrl}/docs/reference#completeContribution`);
  const target = `${service.baseUrl}/docs/reference/completions#completeContribution`;
  await page.waitForFunction((url) => location.href === url, {}, target);
  await page.waitForSelector('#completeContribution');
  await page.close();
});

test('the bar has the sections of the page, on a phone, too', async () => {
  for (const width of ['phone', 'desktop'] as const) {
    const { page } = await openPage(browser, `${service.baseUrl}/docs/bank`, { width });
    // On a desktop, the outline beside the first section takes its place.
    await page.$eval('h2#completing', (heading) => {
      heading.scrollIntoView();
    });
    await page.waitForSelector('.outline-menu', { visible: true });
    await page.click('.outline-menu > summary');
    await page.click('.outline-menu a[href="#returns"]');
    expect(page.url()).toBe(`${service.baseUrl}/docs/bank#returns`);
    const top = await page.$eval('#returns', (heading) => heading.getBoundingClientRect().top);
    const bar = await page.$eval('.bar', (each) => each.getBoundingClientRect().bottom);
    expect(top).toBeGreaterThanOrEqual(bar);
    expect(await page.$eval('.outline-menu', (menu) => (menu as HTMLDetailsElement).open)).toBe(false);
    await page.close();
  }
});

test('the menu of the sections is hidden while the outline is beside the text', async () => {
  const { page } = await openPage(browser, `${service.baseUrl}/docs/bank`, { width: 'desktop' });
  await page.waitForSelector('.outline', { visible: true });
  await page.waitForSelector('.outline-menu', { hidden: true });
  await page.close();
});

test('no row of a table breaks a word of code on a desktop', async () => {
  for (const name of ['statements', 'conformance', 'bank', 'limits']) {
    const { page } = await openPage(browser, `${service.baseUrl}/docs/${name}`, { width: 'desktop' });
    const broken = await page.$$eval('.table code', (all) =>
      all
        .filter((code) => /^\w+$/.test(code.textContent) && code.getClientRects().length > 1)
        .map((code) => code.textContent),
    );
    expect(broken).toEqual([]);
    await page.close();
  }
});

test('examples are beside the text on a desktop and below it on a phone', async () => {
  for (const [width, isBeside] of [
    ['desktop', true],
    ['phone', false],
  ] as const) {
    const address = `${service.baseUrl}/docs/reference/contributions`;
    const { page } = await openPage(browser, address, { width });
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

test('on a phone, every cell of a table is visible, with the name of its column', async () => {
  const { page } = await openPage(browser, `${service.baseUrl}/docs/errors`, { width: 'smallPhone' });
  const cells = await page.$$eval('.table td', (all) =>
    all.map((cell) => {
      const { left, right } = cell.getBoundingClientRect();
      const label = (cell as HTMLElement).dataset['label'];
      const shown = getComputedStyle(cell, '::before').content;
      return left >= 0 && right <= window.innerWidth && (label === undefined || shown.includes(label));
    }),
  );
  expect(cells.length).toBeGreaterThan(20);
  expect(cells).not.toContain(false);
  await page.close();
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
    const { page } = await openPage(browser, `${service.baseUrl}/docs/reference/projects-and-stories`);
    await page.focus('section[aria-labelledby="getProject"] details.try > summary');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => (document.activeElement as HTMLInputElement).name)).toBe('project_id');
    const isOn = (selector: string) =>
      page.evaluate((wanted) => document.activeElement?.matches(wanted) ?? false, selector);
    while (!(await isOn('button[data-key]'))) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    while (!(await isOn('button[type="submit"]'))) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForSelector('section[aria-labelledby="getProject"] .result .good');
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
  await page.goto(`${service.baseUrl}/docs/reference/contributions`);
  const text = await page.$eval('main', (main) => main.innerText);
  expect(text).toContain('Sending a request from this page requires JavaScript');
  expect(text).toContain('Create a contribution');
  expect(await page.$$eval('details.try', (all) => all.some((form) => form.checkVisibility()))).toBe(false);
  await page.goto(`${service.baseUrl}/docs/reference#completeContribution`);
  await page.click('#completeContribution > a');
  expect(page.url()).toBe(`${service.baseUrl}/docs/reference/completions#completeContribution`);
  await page.close();
});
