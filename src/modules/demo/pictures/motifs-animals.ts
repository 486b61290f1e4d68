import { darkWood, deepWater, leaf, water } from './palette';
import { circle, ellipse, line, oneOf, path, place, rect, repeat, type Scene, shadow, waves } from './shapes';

const paw = (fill: string): string =>
  path('M0-6C16-6 30 12 26 26C22 38 8 32 0 32C-8 32-22 38-26 26C-30 12-16-6 0-6z', fill) +
  ellipse(-30, -6, 9, 13, fill) +
  ellipse(-11, -24, 9, 14, fill) +
  ellipse(11, -24, 9, 14, fill) +
  ellipse(30, -6, 9, 13, fill);

function dog({ colors, random }: Scene): string {
  const [coat, ear] = random.pick([
    ['#d9a066', '#9c6640'],
    ['#b98a66', '#7a523a'],
    ['#f0dfc6', '#b7885c'],
  ] as [[string, string], ...[string, string][]]);
  const eye = (x: number): string => circle(x, -158, 8, colors.dark) + circle(x + 3, -161, 2.5, '#fff');
  return (
    shadow(110, colors.dark) +
    line('M62-18Q118-24 104-76', coat, 18) +
    path('M-62 0C-76-60-48-120 0-120C48-120 76-60 62 0z', coat) +
    path('M-30-2C-40-60-20-96 0-96C20-96 40-60 30-2z', '#fff7e8') +
    ellipse(-44, -6, 30, 15, coat) +
    ellipse(44, -6, 30, 15, coat) +
    rect(-46, -112, 92, 16, colors.main, 8) +
    circle(0, -90, 12, colors.second) +
    path('M-62-168C-62-224 62-224 62-168C64-126 40-100 0-100C-40-100-64-126-62-168z', coat) +
    path('M-44-204C-84-214-98-160-84-126C-66-124-52-150-50-182z', ear) +
    path('M44-204C84-214 98-160 84-126C66-124 52-150 50-182z', ear) +
    ellipse(0, -126, 32, 24, '#fff7e8') +
    path('M-15-140Q0-148 15-140Q12-126 0-124Q-12-126-15-140z', colors.dark) +
    line('M0-124v8q-10 8-18 1M0-116q10 8 18 1', colors.dark, 4) +
    eye(-28) +
    eye(26) +
    place(paw(colors.light), -190, -4, 0.6, -20) +
    place(paw(colors.light), -145, 34, 0.6, 14) +
    place(paw(colors.light), 196, 26, 0.6, 20)
  );
}

function pawPrint({ colors, random }: Scene): string {
  const color = random.pick([colors.main, colors.third]);
  const heart = path(
    'M0 22C-32 2-27-23-12-23C-4-23 0-18 0-14C0-18 4-23 12-23C27-23 32 2 0 22z',
    colors.second,
  );
  const hearts = repeat(random.int(2, 4), (index) =>
    place(heart, (index % 2 ? 1 : -1) * (146 + index * 10), -76 - index * 40, random.int(6, 9) / 10),
  );
  return (
    shadow(110, colors.dark) +
    circle(0, -124, 128, colors.light, 0.6) +
    place(paw(color), 0, -130, 2.7) +
    hearts +
    place(paw(colors.light), -200, 26, 0.5, -20) +
    place(paw(colors.light), -140, 46, 0.5, 12)
  );
}

function bird({ colors, random }: Scene): string {
  const body = random.pick([colors.main, colors.third, colors.second]);
  const wing = body === colors.third ? colors.main : colors.third;
  const leaves = repeat(random.int(3, 5), (index) =>
    place(path('M0 0Q10-26 40-26Q32 2 0 0z', leaf), -190 + index * 84, -52, 1, index % 2 ? 0 : 95),
  );
  return (
    line('M-330-40Q-80-66 110-50T230-78', darkWood, 15) +
    leaves +
    path('M-58-104L-168-66L-150-104L-176-112L-64-136z', wing) +
    line('M-8-70V-56M24-70V-56', '#d98a2b', 7) +
    path(
      'M-86-106C-60-180 0-150 22-196C38-232 98-226 100-180C102-110 60-64 6-64C-40-64-70-80-86-106z',
      body,
    ) +
    path('M98-176C100-120 62-74 14-72C52-96 60-130 66-160C76-178 92-184 98-176z', colors.light, 0.75) +
    path('M96-200L134-184L98-172z', '#f0a030') +
    circle(68, -194, 11, '#fff') +
    circle(70, -194, 6, colors.dark) +
    path('M-92-108C-70-150 0-160 30-134C20-96-30-84-92-108z', wing) +
    line('M-48-112Q-12-104 10-122', '#ffffff70', 5)
  );
}

function fish({ colors, random }: Scene): string {
  const one = (body: string, fin: string): string =>
    path('M-70 0L-128-44Q-112 0-128 44z', fin) +
    path('M-24-42Q10-84 46-34z', fin) +
    path('M-10 38Q8 66 34 34z', fin) +
    path('M-88 0C-40-62 56-62 96 0C56 62-40 62-88 0z', body) +
    path('M-12-46Q14 0-12 46L-34 40Q-10 0-34-40zM32-43Q54 0 32 43L16 46Q38 0 16-46z', colors.light, 0.8) +
    circle(66, -12, 11, '#fff') +
    circle(69, -12, 6, colors.dark);
  const bubbles = repeat(random.int(3, 5), (index) =>
    circle(128 + (index % 2) * 22, -112 - index * 20, 5 + (index % 3) * 3, '#fff', 0.5),
  );
  const second = random.chance(0.65)
    ? place(one(colors.second, colors.main), random.int(-200, -160), -24, 0.5)
    : '';
  const third = random.chance(0.5)
    ? place(one(colors.light, colors.second), random.int(160, 200), 14, 0.42)
    : '';
  const weed = (x: number): string => line(`M${x} 80q-24-36 0-70t0-64`, leaf, 11);
  return (
    waves(-196, 14, '#86cde6', random.int(0, 80)) +
    waves(-168, 16, water, random.int(0, 80)) +
    path('M-320 30Q-160 0 0 34T320 26V90H-320z', deepWater) +
    weed(-240) +
    weed(-214) +
    weed(244) +
    bubbles +
    second +
    third +
    place(one(colors.main, colors.second), 6, -72, 1.2, random.int(-8, 6))
  );
}

export const animals = oneOf(
  [fish, /fish|turtle|sea|coral|whale|seal|otter/],
  [bird, /bird|swift|owl|stork|swallow|nest|parrot/],
  [pawPrint, /paw|vet|clinic|hospital|wild/],
  [dog, /dog|puppy|shelter|stray/],
);
