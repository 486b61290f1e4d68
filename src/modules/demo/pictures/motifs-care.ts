import { deepWater, leaf, water } from './palette';
import {
  circle,
  cross,
  line,
  oneOf,
  panes,
  path,
  place,
  rect,
  repeat,
  type Scene,
  shadow,
  waves,
} from './shapes';

const heartShape = 'M0 45C-64 4-54-46-24-46C-9-46 0-36 0-28C0-36 9-46 24-46C54-46 64 4 0 45z';

function heart({ colors, random }: Scene): string {
  const inside = random.chance(0.5)
    ? line('M-98-4H-40L-22-40L4 34L26-20L36-4H98', colors.light, 9)
    : cross(84, colors.light);
  const small = repeat(random.int(2, 4), (index) =>
    place(
      path(heartShape, colors.second),
      index % 2 ? 150 + index * 8 : -150 - index * 8,
      -70 - index * 38,
      random.int(25, 40) / 100,
    ),
  );
  return (
    shadow(95, colors.dark) +
    circle(0, -122, 128, colors.light, 0.55) +
    small +
    place(path(heartShape, colors.main), 0, -116, 2.3) +
    line('M-78-146Q-82-184-56-192', '#ffffff80', 9) +
    place(inside, 0, -122)
  );
}

function clinic({ colors, random }: Scene): string {
  const roof = random.pick([colors.third, colors.main]);
  const corners = [-112, -60].flatMap((y) => [-138, -94, 64, 108].map((x) => `${x} ${y}`));
  const windows = panes(corners, 30, 32, colors.sky);
  return (
    shadow(185, colors.dark) +
    rect(-156, -134, 312, 134, colors.light, 4) +
    rect(-166, -144, 332, 16, roof, 5) +
    rect(-46, -196, 92, 196, '#fff', 6) +
    rect(-54, -204, 108, 14, roof, 5) +
    circle(0, -146, 33, leaf) +
    place(cross(40, '#fff'), 0, -146) +
    windows +
    rect(-58, -92, 116, 12, colors.second, 4) +
    rect(-30, -76, 60, 76, colors.third, 3) +
    line('M0-76V0M-8-36v10M8-36v10', colors.light, 4) +
    rect(-162, -8, 124, 10, colors.ground, 4) +
    rect(38, -8, 124, 10, colors.ground, 4)
  );
}

export const health = oneOf(
  [heart, /heart|blood|mother|midwi|care|glasses/],
  [clinic, /clinic|hospital|doctor|ward|vaccin/],
);

function tents({ colors, random }: Scene): string {
  const tent = (side: string, front: string): string =>
    path('M0-130L150-110L190 0H84z', side) +
    path('M0-130L-96 0H96z', front) +
    path('M0-96L-34 0H34z', colors.dark) +
    path('M0-96L-34 0H-58Q-20-40 0-96z', colors.light) +
    path('M0-96L34 0H58Q20-40 0-96z', colors.light) +
    line('M0-130L-4-138M-96 0l-24 8M190 0l20 8', colors.light, 4);
  const behind = random.int(0, 1)
    ? place(tent(colors.third, '#5f97bd'), 130, -14, 0.72)
    : place(tent('#d99a2b', colors.second), -170, -14, 0.66);
  return (
    behind +
    shadow(200, colors.dark) +
    line('M0-140V-196', colors.dark, 4) +
    rect(2, -198, 52, 36, '#fff', 3) +
    place(path(heartShape, colors.main), 28, -180, 0.26) +
    place(tent('#c9503c', colors.main), -24, 0, 1.08)
  );
}

function lifeRing({ colors, random }: Scene): string {
  const ring =
    circle(0, 0, 104, colors.dark, 0.15) +
    `<circle r="76" fill="none" stroke="#fff" stroke-width="46"/>` +
    `<circle r="76" fill="none" stroke="${colors.main}" stroke-width="46" stroke-dasharray="59.7" transform="rotate(22.5)"/>` +
    `<circle r="108" fill="none" stroke="${colors.second}" stroke-width="6" stroke-dasharray="120 49.6"/>`;
  const far = random.int(-40, 40);
  return (
    waves(-86, 16, deepWater, far + 40) +
    place(ring, 0, -104, 1, random.int(-24, 24)) +
    waves(-38, 20, water, random.int(0, 80)) +
    waves(14, 18, '#69bcdc', random.int(0, 80))
  );
}

export const emergency = oneOf(
  [lifeRing, /flood|boat|sea|rescue|river/],
  [tents, /tent|shelter|quake|camp|avalanche|fire/],
);
