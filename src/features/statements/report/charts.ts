import { type Markup, markup } from '../../../shared/markup';

/** A chart: an image with a title. A table contains its numbers. */
interface Chart {
  /** Unique in the page. */
  id: string;
  title: string;
  /** A description of the chart in words. */
  description: string;
}

const width = 720;
const left = 84;
const height = 240;
const top = 12;
const bottom = 36;
const plotHeight = height - top - bottom;
const tickCount = 4;

/** Rounds up to the next number that is 1, 2 or 5 times a power of ten. */
export function roundUp(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= value) ?? 10;
  return factor * power;
}

const frame = ({ id, title, description }: Chart, chartHeight: number, content: Markup[]): Markup =>
  markup`<div class="chart" role="region" aria-label="${title}" tabindex="0"><svg viewBox="0 0 ${width} ${chartHeight}" role="img" aria-labelledby="${id}-title ${id}-text"><title id="${id}-title">${title}</title><desc id="${id}-text">${description}</desc>${content}</svg></div>`;

export interface Series {
  name: string;
  /** `filled` or `outlined`, so that series differ by more than color. */
  shape: 'filled' | 'outlined';
}

export interface Group {
  label: string;
  /** One value for each series, at least 0. */
  values: readonly number[];
}

/** Bars side by side for each group, in order of time from the left. The scale begins at 0. */
export function columnChart(
  chart: Chart,
  series: readonly Series[],
  groups: readonly Group[],
  formatValue: (value: number) => string,
): Markup {
  const most = roundUp(Math.max(0, ...groups.flatMap(({ values }) => values)));
  const y = (value: number): number => Math.round((top + plotHeight * (1 - value / most)) * 10) / 10;
  const groupWidth = (width - left) / Math.max(1, groups.length);
  const barWidth = Math.max(1, (groupWidth * 0.8) / series.length);
  const ticks = Array.from({ length: tickCount + 1 }, (_, at) => (most * at) / tickCount);
  // Omits labels that would overlap. The table has all of them.
  const labelEvery = Math.max(1, Math.ceil(groups.length / 8));
  const x = (group: number, bar: number): number =>
    Math.round((left + group * groupWidth + groupWidth * 0.1 + bar * barWidth) * 10) / 10;
  return frame(chart, height, [
    ...ticks.map(
      (tick) =>
        markup`<line class="grid" x1="${left}" x2="${width}" y1="${y(tick)}" y2="${y(tick)}"/><text x="${left - 8}" y="${y(tick) + 4}" text-anchor="end">${formatValue(tick)}</text>`,
    ),
    ...groups.flatMap(({ values }, group) =>
      values.map(
        (value, bar) =>
          markup`<rect class="${series[bar]?.shape}" x="${x(group, bar)}" y="${y(value)}" width="${Math.round(barWidth * 10) / 10}" height="${Math.round((y(0) - y(value)) * 10) / 10}"/>`,
      ),
    ),
    ...groups.map(({ label }, group) =>
      group % labelEvery === 0
        ? markup`<text x="${x(group, 0)}" y="${height - 14}">${label}</text>`
        : markup``,
    ),
  ]);
}

const rowHeight = 30;
const labelWidth = 230;
const valueWidth = 130;

/** One bar for each row. A negative value is outlined. */
export function barChart(
  chart: Chart,
  rows: readonly { label: string; value: number; text: string }[],
): Markup {
  const most = Math.max(1, ...rows.map(({ value }) => Math.abs(value)));
  const plotWidth = width - labelWidth - valueWidth;
  return frame(
    chart,
    rows.length * rowHeight + 10,
    rows.map(({ label, value, text }, row) => {
      const y = row * rowHeight + 6;
      const length = Math.round((Math.abs(value) / most) * plotWidth);
      return markup`<text x="${labelWidth - 10}" y="${y + 15}" text-anchor="end">${label}</text><rect class="${value < 0 ? 'outlined' : 'filled'}" x="${labelWidth}" y="${y}" width="${length}" height="${rowHeight - 10}"/><text x="${labelWidth + length + 8}" y="${y + 15}">${text}</text>`;
    }),
  );
}
