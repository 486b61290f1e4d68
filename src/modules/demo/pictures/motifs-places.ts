import { darkLeaf, leaf } from './palette';
import { pine, roundTree } from './scenery';
import { dots, ellipse, type Motif, panes, path, place, rect, repeat, shadow } from './shapes';

function house(
  width: number,
  height: number,
  wall: string,
  roof: string,
  door: string,
  glass: string,
): string {
  const half = width / 2;
  const [left, right, top] = [-half / 2, half / 2, 22 - height];
  return (
    rect(half * 0.4, -height - 62, 18, 50, door) +
    rect(-half, -height, width, height, wall) +
    path(`M${-half - 14}-${height - 2}L0-${height + 66}L${half + 14}-${height - 2}z`, roof) +
    path(`M${-half - 14}-${height - 2}h${width + 28}v7h-${width + 28}z`, '#000', 0.12) +
    panes([`${left - 14} ${top}`, `${right - 14} ${top}`], 28, 30, '#fff') +
    panes(
      [left - 11, left + 2, right - 11, right + 2].map((x) => `${x} ${top + 3}`),
      9,
      24,
      glass,
    ) +
    rect(-14, -46, 28, 46, door, 3) +
    ellipse(8, -23, 2.5, 2.5, '#fff')
  );
}

export const housing: Motif = ({ colors, random }) => {
  const count = random.int(2, 4);
  const width = [0, 0, 128, 112, 96][count] ?? 96;
  const roofs = [colors.main, colors.third, colors.second];
  const walls = [colors.light, '#fbe6c4', '#e3ecef'];
  const first = random.int(0, 2);
  const houses = repeat(count, (index) =>
    place(
      house(
        width,
        random.int(84, 122),
        walls[(first + index) % 3] ?? colors.light,
        roofs[(first + index) % 3] ?? colors.main,
        roofs[(first + index + 1) % 3] ?? colors.third,
        colors.sky,
      ),
      (index - (count - 1) / 2) * (width + 26),
      index % 2 ? -8 : 4,
    ),
  );
  const fence = path(`M-196 34${'v-30l6-8l6 8v30zm32 0'.repeat(12)}`, '#fff');
  return (
    shadow(210, colors.dark) +
    houses +
    path('M-24 4H24L60 90H-60z', '#e9d6b0', 0.8) +
    (random.chance(0.5)
      ? rect(-206, 12, 412, 6, '#fff') + fence
      : dots('M-200 8H190', leaf, 40, 64) + dots('M-168 12H200', darkLeaf, 30, 64))
  );
};

/** For a category that we do not know. */
export const hills: Motif = ({ colors, random }) => {
  const trees = repeat(random.int(3, 5), (index) =>
    place(
      index % 2 ? pine(darkLeaf) : roundTree(leaf),
      -150 + index * 76 + random.int(-14, 14),
      -18 + random.int(-8, 8),
      random.int(8, 13) / 10,
    ),
  );
  return (
    path('M-320-10Q-200-110-40-40T320-60V90H-320z', colors.mid) +
    path('M-320 10Q-140-60 60-10T320-20V90H-320z', colors.ground) +
    trees +
    path('M-60 90Q20 40-30 14T10-22L18-22Q-6 0 24 18T40 90z', colors.light, 0.75)
  );
};
