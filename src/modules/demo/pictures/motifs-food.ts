import { darkLeaf, darkWood, leaf, wood } from './palette';
import {
  circle,
  dashes,
  dots,
  ellipse,
  oneOf,
  line,
  type Motif,
  path,
  place,
  rect,
  repeat,
  type Scene,
  shadow,
} from './shapes';

function bowl({ colors, random }: Scene): string {
  const steam = repeat(3, (index) =>
    line(`M${(index - 1) * 46}-196q-16-20 0-38t0-${random.int(26, 38)}`, '#ffffffb0', 8),
  );
  const fill = random.pick([
    ellipse(0, -118, 112, 44, '#fff8e2') + dots('M-72-136H80M-84-124H90M-50-147H50', '#e6d7ae', 7, 22),
    ellipse(0, -116, 114, 34, '#f0a23c') +
      circle(-44, -126, 15, leaf) +
      circle(30, -132, 13, '#d9482f') +
      circle(66, -118, 11, leaf),
  ]);
  const greens =
    path('M-14-146Q-50-190-86-158Q-58-130-14-146z', leaf) +
    path('M-4-150Q12-196 48-182Q40-146-4-150z', darkLeaf);
  const color = random.pick([colors.main, colors.third]);
  return (
    shadow(150, colors.dark) +
    steam +
    line('M70-128L176-218M88-122L190-204', darkWood, 7) +
    fill +
    greens +
    path('M-138-112H138C138-44 88-14 56-10V0H-56V-10C-88-14-138-44-138-112z', color) +
    path('M-134-88H134L126-66H-126z', colors.second) +
    dots('M-105-77H110', colors.light, 12, 30) +
    rect(-146, -118, 292, 13, colors.light, 6)
  );
}

function wheat({ colors, random }: Scene): string {
  const grains = [0, -25, -50]
    .map((y) => `M-3 ${y}q-22-6-24-34q20 8 24 34zm6 0q22-6 24-34q-20 8-24 34z`)
    .join('');
  const ear = path(`${grains}M0-72q-13-15 0-32q13 15 0 32z`, '#e8a92f');
  const count = random.int(5, 6);
  const stalks = repeat(count, (index) => {
    const offset = index - (count - 1) / 2;
    const angle = Math.round((offset * 66) / count);
    const x = Math.round(Math.sin((angle * Math.PI) / 180) * 178);
    const y = -48 - Math.round(Math.cos((angle * Math.PI) / 180) * 104);
    return line(`M${-offset * 12} 0L0-56L${x} ${y}`, '#c78a22', 6) + place(ear, x, y, 1, angle);
  });
  return (
    circle(0, -130, 126, colors.light, 0.45) +
    shadow(90, colors.dark) +
    stalks +
    rect(-25, -72, 50, 26, colors.main, 8) +
    path('M20-62L66-82L58-58L68-36z', colors.main) +
    circle(20, -59, 9, colors.light)
  );
}

function basket({ colors, random }: Scene): string {
  const carrot =
    path('M-14 0Q0-10 14 0Q10 50 0 74Q-10 50-14 0z', '#ee8434') +
    path('M0-2Q-26-28-18-46Q-6-34 0-20Q4-44 16-46Q22-24 0-2z', leaf);
  const tomato =
    circle(0, 0, 32, '#dc4a38') +
    path('M0-22L-18-30L-5-32L0-44L5-32L18-30z', darkLeaf) +
    ellipse(-13, -8, 5, 9, '#fff', 0.35);
  const eggplant =
    path('M-10-44C-40-20-44 40 0 44C44 40 40-20 10-44z', '#6b4a8c') +
    path('M-20-38Q0-64 20-38L8-32L0-40L-8-32z', leaf);
  const cabbage = circle(0, 0, 38, '#8cc06a') + line('M0 34Q-4-4-22-22M0 20Q6-6 22-18', '#d7ecbd', 5);
  const [one, two, three] = random.pick([
    [tomato, cabbage, eggplant],
    [cabbage, tomato, tomato],
    [eggplant, tomato, cabbage],
  ] as [[string, string, string], ...[string, string, string][]]);
  const weave =
    dashes('M-124-58H130', '#d0a06b', 15, '22 14') + dashes('M-112-28H118', '#d0a06b', 15, '22 14');
  return (
    shadow(155, colors.dark) +
    place(carrot, -30, -168, 1, 170) +
    place(carrot, 34, -172, 1, 196) +
    place(two, 0, -118, 1.15) +
    place(one, -78, -104, 1.1) +
    place(three, 80, -106, 1.05) +
    path('M-148-82H148L120 0H-120z', wood) +
    weave +
    rect(-156, -92, 312, 18, darkWood, 9)
  );
}

export const food: Motif = oneOf(
  [bowl, /breakfast|lunch|dinner|meal|kitchen|soup/],
  [wheat, /bread|seed|grain|wheat|mill|rice/],
  [basket, /garden|harvest|food-bank|parcel|vegetable/],
);
