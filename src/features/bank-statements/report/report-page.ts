import { createHash } from 'node:crypto';

import { Markup, markup } from '../../../shared/markup';
import { formatCents } from '../../../shared/money';
import type { CalendarAccount } from '../reporting/days/calendar.store';
import { positions } from '../reporting/positions/position.field';
import { noteTexts, positionTexts } from '../reporting/sentences';
import { previousDay } from '../rules/days/banking-days';
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

function header(data: ReportData): Markup {
  const { company, kind, from, to, readAt, completeUntil, open, work } = data;
  return markup`<h1>Reconciliation of ${name(company)}</h1>
<p><span class="environment ${kind}">${kind.toUpperCase()}</span> ${kind === 'test' ? 'Test data: no money has moved.' : 'Production data.'}</p>
<dl><dt>Days of accounts, and contributions created</dt><dd>${from} to ${previousDay(to)}, contributions by whole days in UTC</dd>
<dt>Time zone of all times</dt><dd>UTC</dd>
<dt>Data read at</dt><dd>${time(readAt)}</dd>
<dt>Complete until</dt><dd>${completeUntil ? time(completeUntil) : 'unknown'}</dd>
<dt>Days that are open or missing</dt><dd>${count(data.days.reduce((sum, one) => sum + one.count, 0))}</dd>
<dt>Open positions</dt><dd>${count(open)}</dd>
<dt>Unconfirmed contributions</dt><dd>${count(unconfirmedOf(data)?.contributions ?? 0)}</dd>
<dt>Contributions with entries to check</dt><dd>${count(toCheckOf(data))}</dd></dl>
${warnings(completeUntil, to, work)}${unconfirmedWarning(data)}`;
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

function warnings(completeUntil: Date | null, to: string, { files, days }: ReportData['work']): Markup[] {
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
  if (files + days > 0) {
    all.push(
      markup`<p class="warning">${count(files)} files are not read, and ${count(days)} days of accounts not compared. The numbers below will change.</p>`,
    );
  }
  return all;
}

const nameOf = ({ ending, name: given, accountId }: CalendarAccount): Markup =>
  name(ending ?? given ?? accountId);

function accountDays({ days }: ReportData): Markup {
  return markup`<h2>Days</h2>${table(
    'Days of accounts that are open or missing',
    [['Account', 'name'], ['From'], ['To'], ['Days', 'number'], ['State'], ['What to do', 'name']],
    days.map(({ account, from, to, count: number, state, reason }) => [
      ...[nameOf(account), from, to, count(number)],
      markup`<span class="open">${state}</span>`,
      reason ?? '',
    ]),
  )}`;
}

function reconciliations({ reconciliations: given }: ReportData): Markup {
  const known = (cents: bigint | null): string => (cents === null ? 'unknown' : dollars(cents));
  const notes = given.flatMap(({ account, notes: own }) =>
    own
      .filter(({ kind }) => kind !== 'open' && kind !== 'missing')
      .map(
        ({ kind, from, to, lines }) =>
          markup`<p class="warning">${nameOf(account)}, ${from} to ${to}: ${noteTexts[kind](lines ?? 0)}</p>`,
      ),
  );
  return markup`<h2>Reconciliation of the accounts</h2>${table(
    'Opening + matched + returned + charges + ignored + unexplained = closing, in US dollars',
    [
      ['Account', 'name'],
      ['Opening', 'number'],
      ...(given[0]?.terms ?? []).map(({ term }) => [term, 'number'] as const),
      ['Closing', 'number'],
    ],
    given.map(({ account, openingCents, terms, closingCents }) => [
      ...[nameOf(account), known(openingCents)],
      ...terms.map(({ cents }) => dollars(cents)),
      known(closingCents),
    ]),
  )}${notes}`;
}

function totals({ by, periods }: ReportData): Markup {
  const rows = periods.map((sums) => [
    sums.period,
    count(sums.contributions),
    dollars(sums.expectedCents),
    dollars(sums.completedCents),
    dollars(sums.netCents),
    count(sums.open),
  ]);
  return markup`<h2>Totals per ${by}</h2>${table(
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
  const rows = known.map(({ position, contributions, open: openCount, toCheck, differenceCents }) => [
    markup`<code>${position}</code>`,
    Object.values(positionTexts[position]).join(' '),
    count(contributions),
    openCount > 0 ? markup`<span class="open">${count(openCount)}</span>` : '0',
    count(toCheck),
    dollars(differenceCents),
  ]);
  return markup`<h2>Positions</h2>${table(
    'Contributions by position, in US dollars',
    [
      ['Position'],
      ['Meaning', 'name'],
      ['Contributions', 'number'],
      ['Open', 'number'],
      ['With entries to check', 'number'],
      ['Difference of the open ones', 'number'],
    ],
    rows,
  )}${table(
    'Entries of the statements that pay no contribution',
    [['Outcome'], ['Reason'], ['Direction'], ['Entries', 'number'], ['Amount', 'number']],
    unexplained.map((row) => [
      markup`<code>${row.outcome}</code>`,
      row.reason ?? '',
      row.direction,
      count(row.entries),
      row.cents === null ? '' : dollars(BigInt(row.cents)),
    ]),
  )}`;
}

function openPositions({ open, oldestOpen }: ReportData): Markup {
  const caption =
    oldestOpen.length < open
      ? `The oldest ${count(oldestOpen.length)} of ${count(open)} open positions, in US dollars`
      : 'All open positions, oldest first, in US dollars';
  return markup`<h2>Open positions</h2>${table(
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
<body><main>${header(data)}${accountDays(data)}${reconciliations(data)}${differences(data)}${openPositions(data)}${totals(data)}</main></body></html>
`.text;
}
