import { SaxesParser } from 'saxes';

import { renderReport } from '../../src/features/bank-statements/report/report-page';
import { hostileNames, reportData } from '../support/report-data';

/** The names of elements and attributes of a page, which is XML except for its `<meta>`. */
function structureOf(html: string): string[] {
  const found: string[] = [];
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    found.push(`${name} ${Object.keys(attributes).sort().join(' ')}`);
  });
  parser.write(html.replace('<!doctype html>', '').replace(/(<meta [^>]*)>/g, '$1/>')).close();
  return found;
}

const reportOf = (name: string): string => {
  const data = reportData(name);
  return renderReport({
    ...data,
    oldestOpen: data.oldestOpen.map((one) => ({
      ...one,
      contribution: { ...one.contribution, companyName: name },
    })),
    days: data.days.map((one) => ({ ...one, account: { ...one.account, name } })),
    reconciliations: data.reconciliations.map((one) => ({ ...one, account: { ...one.account, name } })),
  });
};

test.each(hostileNames)('the name %j adds no element and no attribute to the page', (name) => {
  expect(structureOf(reportOf(name))).toEqual(structureOf(reportOf('Acme')));
});

test('control characters and those that change the direction of text become visible', () => {
  const html = reportOf('\u202Egpj.exe\u202C\u0007\u200B');
  expect(html).not.toMatch(/[\u200B-\u200F\u202A-\u202E\u2066-\u2069\u0007]/);
  expect(html).toContain('\uFFFDgpj.exe\uFFFD\uFFFD\uFFFD');
});

test('the page has no script and no handler, and its policy allows nothing but its style', () => {
  const html = reportOf('Acme');
  expect(html).not.toMatch(/<script|<link|<img| on\w+=|style=|https?:/);
  expect(html).toMatch(/content="default-src 'none'; style-src 'sha256-[\w+/]+='"/);
});

test('the page states the company, the environment, the range, the time zone and completeness', () => {
  const html = renderReport(reportData('Acme'));
  expect(html).toContain('<bdi>Acme</bdi>');
  expect(html).toContain('PRODUCTION');
  expect(html).toContain('2026-11-01 to 2026-11-30, contributions by whole days in UTC');
  expect(html).toContain('2026-12-02 08:00:00 UTC');
  expect(html).toContain('2026-12-02 07:59:58 UTC');
  expect(renderReport(reportData('Acme', { kind: 'test' }))).toContain('Test data: no money has moved.');
});

test.each([
  [{ completeUntil: null }, 'This report may be incomplete.'],
  [{ completeUntil: new Date('2026-11-15T00:00:00Z') }, 'The range ends after 2026-11-15 00:00:00 UTC.'],
  [{ work: { files: 2, days: 1 } }, '2 files are not read, and 1 days of accounts not compared.'],
])('%p is a warning', (more, warning) => {
  const html = renderReport(reportData('Acme', more));
  expect(html.slice(html.indexOf('<p class="warning">'))).toContain(warning);
});

test('contributions with entries to check are counted, and each open one shows its number', () => {
  const differences = [
    {
      position: 'matched' as const,
      contributions: 9,
      expectedCents: 0n,
      open: 0,
      differenceCents: 0n,
      toCheck: 2,
    },
    {
      position: 'short' as const,
      contributions: 9,
      expectedCents: 0n,
      open: 3,
      differenceCents: 0n,
      toCheck: 5,
    },
  ];
  const data = reportData('Acme', { differences });
  const [first] = data.oldestOpen;
  const html = renderReport({ ...data, oldestOpen: [{ ...first!, entriesToCheck: 41 }] });
  expect(html).toContain('<dt>Contributions with entries to check</dt><dd>7</dd>');
  expect(html).toContain('<td class="number">5</td>');
  expect(html).toContain('<td class="number">41</td>');
});

test('unconfirmed contributions are a warning with their sum, although none is open', () => {
  const unconfirmed = { contributions: 13, expectedCents: 410_50n, open: 0, differenceCents: 0n, toCheck: 0 };
  const html = renderReport(
    reportData('Acme', { open: 0, differences: [{ position: 'unconfirmed', ...unconfirmed }] }),
  );
  expect(html).toContain(
    '13 completed contributions are unconfirmed (410.50 USD): no statement shows whether the money arrived.',
  );
  expect(html).toContain('<dt>Unconfirmed contributions</dt><dd>13</dd>');
});

test('tables have the numbers, and say when rows are left out', () => {
  const html = renderReport(reportData('Acme'));
  expect(html).toContain(`The oldest ${hostileNames.length} of 1,500 open positions`);
  expect(html).toContain('<td class="number">-12,345.67</td>');
  expect(html).toContain('<td class="text">2026-11-30</td><td class="number">87</td>');
});

test('a report without contributions says so', () => {
  const nothing = { periods: [], differences: [], open: 0, oldestOpen: [], unexplained: [], days: [] };
  const html = renderReport(reportData('Acme', nothing));
  expect(html).toContain('Days of accounts that are open or missing: none.');
  expect(html).toContain('All open positions, oldest first, in US dollars: none.');
});

test('the page leads with the days that are open or missing, then the reconciliation of each account', () => {
  const html = renderReport(reportData('Acme'));
  const headings = [...html.matchAll(/<h2>([^<]+)/g)].map(([, heading]) => heading);
  expect(headings.slice(0, 3)).toEqual(['Days', 'Reconciliation of the accounts', 'Positions']);
  expect(html).toContain('<td class="text">2026-11-19</td><td class="text">2026-11-20</td>');
  expect(html).toContain('<td class="number">1,000.00</td><td class="number">0.00</td>');
  expect(html).toContain('<td class="number">unknown</td></tr>');
  expect(html).toMatch(/<p class="warning"><bdi>collecting<\/bdi>, .*the terms stand alone\.<\/p>/);
});
