import { createHash } from 'node:crypto';

import { positions } from '../matching/position.field';
import { Markup, markup } from '../../../shared/markup';
import { formatCents } from '../../../shared/money';
import { barChart, columnChart, type Series } from './charts';
import { positionTexts } from './position-texts';
import type { NamedDifference, ReportData } from './reconciliation-report.service';
import { reportStyle } from './report-style';

const styleHash = createHash('sha256').update(reportStyle).digest('base64');

/**
 * Renders a name that others chose. Control characters and characters that change the text
 * direction become visible, so that the name cannot imitate other text.
 */
const name = (text: string): Markup =>
  markup`<bdi>${text.replace(/[\p{Cc}\p{Cs}\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/gu, '\uFFFD')}</bdi>`;

const time = (date: Date): string =>
  date
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC');
const count = (number: number): string => number.toLocaleString('en-US');

/** Formats cents as dollars with a sign and separators, such as -1,234.50. */
function dollars(cents: bigint): string {
  const [whole = '', decimals = ''] = formatCents(cents).split('.');
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${decimals}`;
}

type Cell = Markup | string | number;
type Column = readonly [heading: string, kind?: 'number' | 'name'];

function table(caption: string, columns: readonly Column[], rows: readonly (readonly Cell[])[]): Markup {
  if (rows.length === 0) return markup`<p>${caption}: none.</p>`;
  const classOf = (at: number): string => columns[at]?.[1] ?? 'text';
  return markup`<div class="table" role="region" aria-label="${caption}" tabindex="0"><table><caption>${caption}</caption><thead><tr>${columns.map(([heading], at) => markup`<th scope="col" class="${classOf(at)}">${heading}</th>`)}</tr></thead><tbody>${rows.map((row) => markup`<tr>${row.map((cell, at) => markup`<td class="${classOf(at)}">${cell}</td>`)}</tr>`)}</tbody></table></div>`;
}

const series: readonly Series[] = [
  { name: 'completed', shape: 'filled' },
  { name: 'arrived and stayed', shape: 'outlined' },
];

const legend = markup`<ul class="legend">${series.map(({ name: label, shape }) => markup`<li><svg viewBox="0 0 16 16" aria-hidden="true"><rect class="${shape}" x="2" y="2" width="12" height="12"/></svg>${label}</li>`)}</ul>`;

function header(data: ReportData): Markup {
  const { company, kind, from, to, readAt, completeUntil, open, unmatchedFiles } = data;
  const lastDay = new Date(Date.parse(`${to}T00:00:00Z`) - 1).toISOString().slice(0, 10);
  return markup`<h1>Reconciliation of ${name(company)}</h1>
<p><span class="environment ${kind}">${kind.toUpperCase()}</span> ${kind === 'test' ? 'Test data: no money has moved.' : 'Production data.'}</p>
<dl><dt>Contributions created</dt><dd>${from} to ${lastDay}, whole days in UTC</dd>
<dt>Time zone of all times</dt><dd>UTC</dd>
<dt>Data read at</dt><dd>${time(readAt)}</dd>
<dt>Complete until</dt><dd>${completeUntil ? time(completeUntil) : 'unknown'}</dd>
<dt>Open positions</dt><dd>${count(open)}</dd>
<dt>Unconfirmed contributions</dt><dd>${count(unconfirmedOf(data)?.contributions ?? 0)}</dd>
<dt>Contributions with entries to check</dt><dd>${count(toCheckOf(data))}</dd></dl>
${warnings(completeUntil, to, unmatchedFiles)}${unconfirmedWarning(data)}`;
}

/** Completed contributions whose money no statement confirms. They are not open. */
export const unconfirmedOf = ({ differences: given }: ReportData): NamedDifference | undefined =>
  given.find(({ position }) => position === 'unconfirmed');

/** Contributions with entries that may be their money, but do not count. */
export const toCheckOf = ({ differences: given }: ReportData): number =>
  given.reduce((sum, { toCheck }) => sum + toCheck, 0);

function unconfirmedWarning(data: ReportData): Markup | undefined {
  const unconfirmed = unconfirmedOf(data);
  if (!unconfirmed) return undefined;
  const { contributions, expectedCents } = unconfirmed;
  const are = contributions === 1 ? 'contribution is' : 'contributions are';
  return markup`<p class="warning">${count(contributions)} completed ${are} unconfirmed (${dollars(expectedCents)} USD): no statement shows whether the money arrived. The period cannot be closed.</p>`;
}

function warnings(completeUntil: Date | null, to: string, unmatchedFiles: number): Markup[] {
  const all: Markup[] = [];
  if (completeUntil === null) {
    all.push(
      markup`<p class="warning">No service has counted contributions yet. This report may be incomplete.</p>`,
    );
  } else if (completeUntil.getTime() < Date.parse(`${to}T00:00:00Z`)) {
    all.push(
      markup`<p class="warning">The range ends after ${time(completeUntil)}. Contributions that were created later may be missing.</p>`,
    );
  }
  if (unmatchedFiles > 0) {
    const files =
      unmatchedFiles === 1 ? '1 file of statements is' : `${count(unmatchedFiles)} files of statements are`;
    all.push(
      markup`<p class="warning">${files} not compared with contributions yet. The positions below will change.</p>`,
    );
  }
  return all;
}

function totals({ by, periods }: ReportData): Markup {
  const title = `Totals per ${by}`;
  const groups = periods.map(({ period, completedCents, netCents }) => ({
    label: by === 'day' ? period.slice(5) : period,
    values: [completedCents, netCents < 0n ? 0n : netCents].map((cents) => Number(cents) / 100),
  }));
  const chart = {
    id: 'totals',
    title,
    description: 'US dollars, by the day of creation in UTC. The table below has the same numbers.',
  };
  const whole = (value: number): string => `$${value.toLocaleString('en-US')}`;
  const rows = periods.map((sums) => [
    sums.period,
    count(sums.contributions),
    dollars(sums.expectedCents),
    dollars(sums.completedCents),
    dollars(sums.netCents),
    count(sums.open),
  ]);
  return markup`<h2>${title}</h2>${legend}${columnChart(chart, series, groups, whole)}${table(
    `Contributions by the ${by} of creation (UTC), in US dollars`,
    [
      [by === 'day' ? 'Day' : 'Month'],
      ['Contributions', 'number'],
      ['Amount', 'number'],
      ['Completed', 'number'],
      ['Arrived and stayed', 'number'],
      ['Open', 'number'],
    ],
    rows,
  )}`;
}

function differences({ differences: given, unexplained }: ReportData): Markup {
  const known = positions.flatMap((position) => given.find((one) => one.position === position) ?? []);
  const open = known.filter((one) => one.open > 0);
  const rows = known.map(({ position, contributions, open: openCount, toCheck, differenceCents }) => [
    markup`<code>${position}</code>`,
    positionTexts[position][0],
    count(contributions),
    openCount > 0 ? markup`<span class="open">${count(openCount)}</span>` : '0',
    count(toCheck),
    dollars(differenceCents),
    openCount > 0 || position === 'unconfirmed' ? positionTexts[position][1] : '',
  ]);
  const bars = open.map(({ position, differenceCents }) => ({
    label: position,
    value: Number(differenceCents),
    text: `${dollars(differenceCents)} USD`,
  }));
  const chart = {
    id: 'differences',
    title: 'Open differences by position',
    description: 'Money that arrived minus the amount, in US dollars. The table below has the same numbers.',
  };
  return markup`<h2>Differences</h2>${bars.length > 0 ? barChart(chart, bars) : markup`<p>No difference is open.</p>`}${table(
    'Contributions by position, in US dollars',
    [
      ['Position'],
      ['Meaning', 'name'],
      ['Contributions', 'number'],
      ['Open', 'number'],
      ['With entries to check', 'number'],
      ['Difference of the open ones', 'number'],
      ['What to do', 'name'],
    ],
    rows,
  )}${table(
    'Entries of the statements that pay no contribution',
    [
      ['Outcome'],
      ['Reason'],
      ['Direction'],
      ['Currency', 'name'],
      ['Entries', 'number'],
      ['Amount', 'number'],
    ],
    unexplained.map((row) => [
      markup`<code>${row.outcome}</code>`,
      row.reason ?? '',
      row.direction,
      name(row.currency),
      count(row.entries),
      row.cents === null ? '' : dollars(BigInt(row.cents)),
    ]),
  )}`;
}

function openPositions({ ages, open, oldestOpen }: ReportData): Markup {
  const bars = ages.map(({ label, contributions }) => ({
    label,
    value: contributions,
    text: count(contributions),
  }));
  const chart = {
    id: 'ages',
    title: 'Open positions by age',
    description: 'Contributions by the days since their creation. The table below has the same numbers.',
  };
  const caption =
    oldestOpen.length < open
      ? `The oldest ${count(oldestOpen.length)} of ${count(open)} open positions, in US dollars`
      : 'All open positions, oldest first, in US dollars';
  return markup`<h2>Open positions</h2>${open > 0 ? barChart(chart, bars) : undefined}${table(
    'Open positions by age',
    [['Age'], ['Contributions', 'number']],
    ages.map(({ label, contributions }) => [label, count(contributions)]),
  )}${table(
    caption,
    [
      ['transaction_id'],
      ['Company', 'name'],
      ['Position'],
      ['Amount', 'number'],
      ['Arrived and stayed', 'number'],
      ['Entries to check', 'number'],
      ['Age in days', 'number'],
      ['Created (UTC)'],
    ],
    oldestOpen.map(({ contribution, position, grossCents, returnedCents, entriesToCheck, ageDays }) => [
      markup`<code>${contribution.transactionId}</code>`,
      name(contribution.companyName),
      markup`<code>${position}</code>`,
      dollars(contribution.amountCents),
      dollars(grossCents - returnedCents),
      count(entriesToCheck),
      count(ageDays),
      time(contribution.createdAt).replace(' UTC', ''),
    ]),
  )}`;
}

/** Renders one page without scripts. Its content security policy forbids it to load anything. */
export function renderReport(data: ReportData): string {
  const title = `Reconciliation, ${data.kind}, ${data.from} to ${data.to}`;
  return markup`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${styleHash}'">
<meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer"><title>${title}</title><style>${new Markup(reportStyle)}</style></head>
<body><main>${header(data)}${totals(data)}${differences(data)}${openPositions(data)}</main></body></html>
`.text;
}
