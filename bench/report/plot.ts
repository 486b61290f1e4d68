export interface Bar {
  label: string;
  value: number;
  from: number;
  to: number;
}

const barHeight = 26;
const labelWidth = 250;
const plotWidth = 480;

const escape = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

/** Bars with their spread, as SVG that reads on light and dark pages. The scale begins at 0. */
export function barPlot(title: string, bars: readonly Bar[]): string {
  const most = Math.max(...bars.map(({ value, to }) => Math.max(value, to)));
  const x = (value: number): number => Math.round(labelWidth + (value / most) * plotWidth);
  const rows = bars.map(({ label, value, from, to }, place) => {
    const y = 40 + place * barHeight;
    const middle = y + barHeight / 2 - 2;
    return [
      `<text x="${labelWidth - 8}" y="${middle + 4}" text-anchor="end">${escape(label)}</text>`,
      `<rect x="${labelWidth}" y="${y}" width="${x(value) - labelWidth}" height="${barHeight - 6}" fill="${place === 0 ? '#0f766e' : '#94a3b8'}"/>`,
      `<path d="M${x(from)} ${middle}H${x(to)}" stroke="#1e293b" stroke-width="2"/>`,
      `<text x="${x(Math.max(value, to)) + 6}" y="${middle + 4}">${Math.round(value)}</text>`,
    ].join('');
  });
  const height = 48 + bars.length * barHeight;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${labelWidth + plotWidth + 70} ${height}" font-family="sans-serif" font-size="13" role="img" aria-label="${escape(title)}">`,
    '<rect width="100%" height="100%" fill="#ffffff"/>',
    `<text x="10" y="22" font-weight="bold">${escape(title)}</text>`,
    ...rows,
    '</svg>\n',
  ].join('\n');
}
