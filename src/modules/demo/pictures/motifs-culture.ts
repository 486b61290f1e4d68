import { darkWood, wood } from './palette';
import { circle, dots, ellipse, line, oneOf, path, place, rect, repeat, type Scene, shadow } from './shapes';

const note = (fill: string): string => ellipse(0, 0, 14, 10, fill) + line('M12-3V-58Q30-50 32-32', fill, 5);

function masks({ colors, random }: Scene): string {
  const mask = (fill: string, mouth: string, ribbon: string): string =>
    path(
      'M-70-88q-34 20-46 70l26-10l6 26q22-36 24-62zM70-88q34 20 46 70l-26-10l-6 26q-22-36-24-62z',
      ribbon,
    ) +
    path('M-76-96Q0-124 76-96C82-20 50 50 0 62C-50 50-82-20-76-96z', fill) +
    path('M-52-50Q-32-74-12-50Q-32-40-52-50zM12-50Q32-74 52-50Q32-40 12-50z', colors.dark) +
    path(mouth, colors.dark) +
    line('M-54-74Q-34-90-14-76M54-74Q34-90 14-76', colors.dark, 5) +
    circle(-50, -18, 11, colors.main, 0.35) +
    circle(50, -18, 11, colors.main, 0.35);
  const smile = 'M-42-10Q0 12 42-10Q34 40 0 42Q-34 40-42-10z';
  const frown = 'M-34 32Q-30-6 0-6Q30-6 34 32Q0 12-34 32z';
  const swap = random.chance(0.5);
  return (
    shadow(150, colors.dark) +
    place(
      mask(colors.third, swap ? smile : frown, colors.second).replaceAll(colors.dark, colors.light),
      74,
      -112,
      0.95,
      14,
    ) +
    place(mask(colors.second, swap ? frown : smile, colors.main), -58, -82, 1.1, -10)
  );
}

function drums({ colors, random }: Scene): string {
  const drum = (fill: string): string =>
    path('M-74-150C-74-84-34-84-30-62L-44 0H44L30-62C34-84 74-84 74-150z', fill) +
    line('M-71-136L-50-96L-26-144L0-92L26-144L50-96L71-136', colors.light, 4) +
    path('M-33-66H33L30-52H-30z', colors.second) +
    line('M-38-18H38', colors.second, 9) +
    ellipse(0, -150, 76, 19, darkWood) +
    ellipse(0, -153, 70, 15, '#f7e8cf');
  const notes = repeat(random.int(3, 5), (index) =>
    place(
      note(index % 2 ? colors.third : colors.dark),
      -170 + index * 84,
      -206 + (index % 2) * 34,
      random.int(8, 11) / 10,
      random.int(-12, 12),
    ),
  );
  const side = random.pick([-1, 1]);
  return (
    shadow(150, colors.dark) +
    notes +
    place(drum(colors.third), side * 108, -6, 0.74) +
    place(drum(random.pick([colors.main, wood])), side * -34, 4, 1.05)
  );
}

function amphora({ colors, random }: Scene): string {
  const clay = random.pick(['#c8693f', colors.main, '#b9582f']);
  const band = random.chance(0.5)
    ? line('M-64-112l16-18l16 18l16-18l16 18l16-18l16 18l16-18l16 18', colors.dark, 5)
    : dots('M-55-120H60', colors.dark, 14, 22);
  const jar =
    line('M-26-190C-90-196-88-140-62-128M26-190C90-196 88-140 62-128', clay, 13) +
    path(
      'M-34-206H34V-192H24C20-164 74-152 74-108C74-56 30-44 24-14H36V0H-36V-14H-24C-30-44-74-56-74-108C-74-152-20-164-24-192H-34z',
      clay,
    ) +
    path('M-70-134H70V-106H-74Q-74-120-70-134z', colors.light, 0.85) +
    band +
    line('M-66-88H66M-54-70H54', colors.dark, 4) +
    path('M-30-38H30L24-14H-24z', colors.dark, 0.5);
  const column = (x: number): string =>
    rect(x - 34, -212, 68, 14, '#fff', 3) +
    rect(x - 25, -198, 50, 190, colors.light) +
    line(`M${x - 12}-190V-16M${x}-190V-16M${x + 12}-190V-16`, '#00000020', 4) +
    rect(x - 34, -10, 68, 12, '#fff', 3);
  return (
    shadow(190, colors.dark) +
    column(-150) +
    column(150) +
    rect(-200, -234, 400, 24, '#fff', 3) +
    path('M-206-232L0-286L206-232z', colors.light) +
    path('M-140-238L0-274L140-238z', colors.second) +
    rect(-62, -24, 124, 26, '#d8d1c4', 4) +
    place(jar, 0, -24, 0.86)
  );
}

export const culture = oneOf(
  [masks, /theat|stage|puppet|mask|carnival|dance/],
  [drums, /music|drum|kora|song|choir|orchestra|instrument/],
  [amphora, /museum|heritage|temple|craft|pottery|archive/],
);
