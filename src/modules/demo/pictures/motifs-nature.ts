import { darkLeaf, darkWood, deepWater, leaf, water, wood } from './palette';
import { pine, roundTree } from './scenery';
import {
  circle,
  dashes,
  drop,
  ellipse,
  line,
  oneOf,
  path,
  place,
  rect,
  repeat,
  type Scene,
  shadow,
  waves,
} from './shapes';

function well({ colors, random }: Scene): string {
  const stones =
    dashes('M-86-60H88', '#cfcac1', 21, '31 5') +
    dashes('M-92-34H92', '#b9b4ac', 21, '13 5 31 5 31 5') +
    dashes('M-90-8H90', '#cfcac1', 21, '31 5');
  const roof = random.pick([colors.main, colors.third]);
  return (
    shadow(140, colors.dark) +
    rect(-78, -190, 13, 120, darkWood) +
    rect(65, -190, 13, 120, darkWood) +
    line('M-92-150H92', wood, 9) +
    line('M92-150v20h16', darkWood, 7) +
    line('M0-146V-112', colors.light, 4) +
    ellipse(0, -80, 98, 16, '#7d7a75') +
    ellipse(0, -78, 82, 10, deepWater) +
    path('M-24-116H24L18-74H-18z', colors.second) +
    line('M-24-116Q0-136 24-116', colors.dark, 4) +
    path('M-98-80Q0-54 98-80V-4Q0 12-98-4z', '#a39e96') +
    stones +
    path('M-120-178L-66-238H66L120-178z', roof) +
    rect(-124, -182, 248, 11, darkWood, 4) +
    repeat(random.int(1, 3), (index) =>
      place(drop(water, '#bfe5f5'), 150 + (index % 2) * 34, -60 - index * 52, 0.3),
    )
  );
}

function bigDrop({ colors, random }: Scene): string {
  const small = repeat(random.int(2, 4), (index) =>
    place(
      drop(water, '#bfe5f5'),
      (index % 2 ? 1 : -1) * (104 + index * 30),
      -150 - random.int(0, 60),
      random.int(28, 44) / 100,
    ),
  );
  return (
    circle(0, -140, 122, colors.light, 0.5) +
    waves(-44, 18, deepWater, random.int(0, 80)) +
    small +
    place(drop(water, '#d3eef8'), 0, -132, 1.35) +
    waves(-12, 20, '#4fb0d6', random.int(0, 80)) +
    waves(32, 16, '#86cde6', random.int(0, 80))
  );
}

function tap({ colors, random }: Scene): string {
  const jar = path(
    'M-30-78H30V-66Q56-52 50-24Q46 0 30 0H-30Q-46 0-50-24Q-56-52-30-66z',
    random.pick([colors.main, colors.second]),
  );
  return (
    shadow(150, colors.dark) +
    rect(-92, -26, 78, 28, '#b9b4ac', 6) +
    rect(-70, -200, 34, 178, colors.third, 8) +
    rect(-78, -206, 50, 18, colors.dark, 8) +
    path('M-40-168H46Q74-168 74-140V-124H48V-136Q48-144 40-144H-40z', colors.third) +
    line('M-54-204Q-70-244-150-214', colors.dark, 12) +
    circle(-152, -212, 11, colors.main) +
    rect(52, -122, 18, 46, water) +
    place(jar + ellipse(0, -78, 32, 8, deepWater) + line('M-36-36Q0-22 36-36', colors.light, 5), 61, 2)
  );
}

export const waterMotif = oneOf(
  [tap, /clean|pump|tap|pipe|school/],
  [bigDrop, /rain|fog|river|lake|sea|spring/],
  [well, /well|borehole|village/],
);

function mountains({ colors, random }: Scene): string {
  const peak = (fill: string, shade: string): string =>
    path('M-150 0L0-210L150 0z', fill) +
    path('M0-210L150 0H30L-10-90L22-130z', shade, 0.35) +
    path('M0-210L-46-146L-22-158L-4-138L18-158L46-146z', '#fff');
  const trees = repeat(random.int(4, 6), (index) =>
    place(
      pine(index % 2 ? darkLeaf : leaf),
      -210 + index * 84 + random.int(-16, 16),
      14 + (index % 2) * 12,
      random.int(8, 12) / 10,
    ),
  );
  const rock = random.pick([colors.third, '#6d7fa0', '#7a8797']);
  return (
    place(peak(rock, colors.dark), random.pick([-120, 125]), 0, 0.82) +
    place(peak(rock, colors.dark), 0, 0, 1.08) +
    rect(-320, -4, 640, 90, colors.ground) +
    trees
  );
}

function tree({ colors, random }: Scene): string {
  const crown = random.pick([leaf, '#6aa84f', '#3f9470']);
  const fruit = repeat(random.int(5, 8), (index) =>
    circle(
      -84 + ((index * 53) % 172),
      -136 - ((index * 37) % 92),
      8,
      random.pick([colors.main, colors.second]),
    ),
  );
  return (
    shadow(120, colors.dark) +
    path('M-20 0Q-8-60-14-110H14Q8-60 20 0Q30 6 44 8H-44Q-30 6-20 0z', darkWood) +
    line('M0-70L46-118M0-84L-40-120', darkWood, 10) +
    circle(-66, -138, 58, darkLeaf) +
    circle(68, -138, 56, darkLeaf) +
    circle(0, -190, 70, crown) +
    circle(-50, -160, 50, crown) +
    circle(54, -160, 50, crown) +
    circle(0, -140, 50, crown) +
    ellipse(-24, -216, 26, 18, '#fff', 0.18) +
    fruit +
    repeat(random.int(1, 3), (index) =>
      place(roundTree(crown), (index % 2 ? -1 : 1) * (150 + index * 24), 10, 0.6 + index * 0.1),
    )
  );
}

export const environment = oneOf(
  [tree, /tree|mangrove|forest|orchard|garden/],
  [mountains, /mountain|peak|hill|alp|park|bog/],
);
