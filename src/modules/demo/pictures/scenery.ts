import { darkWood, type Palette } from './palette';
import type { Random } from './random';
import { circle, ellipse, path, place, rect, repeat, type Scene } from './shapes';

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

const cloud = (fill: string): string =>
  path('M-42 0a16 16 0 0 1 6-31a27 27 0 0 1 50-7a19 19 0 0 1 24 16a11 11 0 0 1 4 22z', fill, 0.85);

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
    place(
      cloud(colors.light),
      60 + index * 170 + random.int(0, 60),
      random.int(60, 130),
      random.int(6, 11) / 10,
    ),
  );
  return (
    rect(0, 0, 640, 400, colors.sky) +
    ellipse(320, 330, 460, 190, colors.glow) +
    circle(sunX, sunY, radius * 1.5, colors.sun, 0.25) +
    circle(sunX, sunY, radius, colors.sun) +
    clouds +
    hills(random, 260, 70, colors.far) +
    hills(random, 300, 50, colors.mid) +
    hills(random, 318, 16, colors.ground)
  );
}

/** Trees left and right of the motif. */
export function drawSides({ colors, random }: Scene): string {
  const tree = random.chance(0.5) ? roundTree(crownOf(colors)) : pine(crownOf(colors));
  const side = (from: number, to: number): string =>
    repeat(random.int(0, 2), () =>
      place(tree, random.int(from, to), random.int(316, 336), random.int(7, 12) / 10),
    );
  return side(30, 140) + side(500, 610);
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

/** Tufts and flowers in front, clear of the middle. */
export function drawForeground({ colors, random }: Scene): string {
  const tuft = path('M-9 0Q-8-9-13-14Q-3-10-3-1Q-2-13 2-19Q5-11 3-1Q6-9 13-12Q8-7 9 0z', crownOf(colors));
  const flower = circle(0, -9, 6, colors.second) + circle(0, -9, 2.5, colors.light);
  return repeat(random.int(5, 8), (index) =>
    place(
      index % 2 ? tuft + (random.chance(0.5) ? flower : '') : tuft,
      random.int(20, 620),
      random.int(356, 392),
    ),
  );
}
