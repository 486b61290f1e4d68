import { darkWood, type Palette } from './palette';
import type { Random } from './random';
import { circle, ellipse, line, path, place, rect, repeat, type Scene } from './shapes';

function hills(random: Random, y: number, rise: number, fill: string): string {
  const steps = random.int(2, 4);
  const width = 640 / steps;
  let from = y - random.int(0, rise);
  let d = `M0 ${from}`;
  for (let step = 0; step < steps; step += 1) {
    const to = y - random.int(0, rise);
    const middle = Math.round(width * (step + 0.5));
    d += `C${middle} ${from} ${middle} ${to} ${Math.round(width * (step + 1))} ${to}`;
    from = to;
  }
  return path(`${d}V400H0z`, fill);
}

const cloud = '<path d="M-42 0a16 16 0 0 1 6-31a27 27 0 0 1 50-7a19 19 0 0 1 24 16a11 11 0 0 1 4 22z"/>';

export const roundTree = (crown: string): string =>
  rect(-4, -40, 8, 42, darkWood, 3) + ellipse(0, -60, 27, 32, crown) + ellipse(-8, -67, 12, 15, '#fff', 0.16);

export const pine = (crown: string): string =>
  rect(-4, -18, 8, 20, darkWood) + path('M0-104L20-66H12L28-40H18L34-12H-34L-18-40H-28L-12-66H-20z', crown);

/** Sky, sun, clouds and far hills: what lies behind the motif. */
export function drawBackdrop({ colors, random }: Scene): string {
  const sunX = random.pick([90, 140, 500, 550]);
  const sunY = random.int(70, 130);
  const radius = random.int(28, 44);
  const clouds = repeat(random.int(2, 4), (index) =>
    place(cloud, 60 + index * 170 + random.int(0, 60), random.int(60, 130), random.int(6, 11) / 10),
  );
  return (
    rect(0, 0, 640, 400, colors.sky) +
    ellipse(320, 330, 460, 190, colors.glow) +
    circle(sunX, sunY, radius * 1.5, colors.sun, 0.25) +
    circle(sunX, sunY, radius, colors.sun) +
    `<g fill="${colors.light}" opacity=".85">${clouds}</g>` +
    hills(random, 260, 70, colors.far) +
    hills(random, 300, 50, colors.mid) +
    hills(random, 318, 16, colors.ground)
  );
}

/** Trees left and right of the motif. */
export function drawSides({ colors, random }: Scene): string {
  const tree = random.chance(0.5) ? roundTree(crownOf(colors)) : pine(crownOf(colors));
  const side = (count: number, from: number, to: number): string =>
    repeat(count, () => place(tree, random.int(from, to), random.int(316, 336), random.int(7, 12) / 10));
  const left = random.int(0, 2);
  return side(left, 30, 140) + side(random.int(0, 3 - Math.max(left, 1)), 500, 610);
}

function crownOf({ ground, dark }: Palette): string {
  return mix(ground, dark, 0.35);
}

/** The colour between two, in #rrggbb. */
export function mix(from: string, to: string, part: number): string {
  const channel = (color: string, index: number): number =>
    Number.parseInt(color.slice(1 + index * 2, 3 + index * 2), 16);
  return `#${[0, 1, 2]
    .map((index) => Math.round(channel(from, index) * (1 - part) + channel(to, index) * part))
    .map((value) => value.toString(16).padStart(2, '0'))
    .join('')}`;
}

/** Tufts and flowers on the ground. */
export function drawMeadow({ colors, random }: Scene): string {
  const spots = Array.from({ length: random.int(5, 8) }, () => ({
    x: random.int(20, 620),
    y: random.int(356, 392),
  }));
  const tufts = spots.map(
    ({ x, y }) => `M${x} ${y}q1-9-4-14q10 4 10 13q1-11 5-17q3 8 1 18q3-8 10-11q-5 5-4 12z`,
  );
  const stems = spots.filter((_, index) => index % 2).map(({ x, y }) => `M${x + 34} ${y - 4}h0`);
  return (
    path(tufts.join(''), crownOf(colors)) +
    line(stems.join(''), colors.second, 13) +
    line(stems.join(''), colors.light, 5)
  );
}
