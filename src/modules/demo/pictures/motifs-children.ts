import { circle, line, oneOf, path, place, rect, repeat, type Scene, shadow } from './shapes';

function ball({ colors }: Scene): string {
  return (
    circle(0, -44, 44, colors.light) +
    path(
      'M0-88A44 44 0 0 1 38-66Q18-56 0-44zM44-44A44 44 0 0 1 22-6Q6-24 0-44zM0 0A44 44 0 0 1-38-22Q-18-32 0-44z',
      colors.main,
    ) +
    path('M38-66A44 44 0 0 1 44-44Q22-38 0-44Q18-56 38-66zM-22-6A44 44 0 0 1-38-22', colors.second) +
    path('M-44-44A44 44 0 0 1-22-82Q-6-64 0-44Q-22-52-44-44z', colors.third) +
    circle(0, -44, 8, '#fff')
  );
}

function kites(scene: Scene): string {
  const { colors, random } = scene;
  const kite = (one: string, two: string): string => {
    const bow = path('M0 0L-15-9V9zM0 0L15-9V9z', colors.second);
    return (
      line('M0 84Q-30 108-4 128T-14 176T10 214', colors.dark, 3) +
      place(bow, -14, 108, 1, 60) +
      place(bow, -8, 142, 1, -20) +
      place(bow, -12, 180, 1, 40) +
      path('M0-92L64-14L0 84L-64-14z', one) +
      path('M0-92L64-14H0zM0 84L-64-14H0z', two) +
      line('M0-92V84M-64-14H64', colors.light, 3)
    );
  };
  const side = random.pick([-1, 1]);
  const other = random.chance(0.6)
    ? place(kite(colors.third, colors.light), side * 150, -190, 0.58, side * 24)
    : '';
  return (
    other +
    place(kite(colors.main, colors.second), side * -34, -190, 1.1, side * -20) +
    place(shadow(46, colors.dark) + ball(scene), side * 96, 24, 0.95)
  );
}

function blocks(scene: Scene): string {
  const { colors, random } = scene;
  const faces = [
    circle(0, 0, 19, colors.light),
    path('M0-22L22 18H-22z', colors.light),
    path('M0-23L7-7L23-6L11 5L15 21L0 12L-15 21L-11 5L-23-6L-7-7z', colors.light),
    rect(-17, -17, 34, 34, colors.light, 3),
  ];
  const fills = [colors.main, colors.third, colors.second];
  const first = random.int(0, 3);
  const block = (index: number, x: number, y: number, turn = 0): string =>
    place(
      rect(-38, -38, 76, 76, fills[index % 3] ?? colors.main, 9) +
        rect(-31, -31, 62, 62, '#00000018', 6) +
        (faces[(first + index) % 4] ?? ''),
      x,
      y,
      1,
      turn,
    );
  const rocket =
    path('M0-96Q34-60 26-10H-26Q-34-60 0-96z', colors.light) +
    path('M0-96Q18-78 25-54H-25Q-18-78 0-96z', colors.main) +
    circle(0, -36, 10, colors.third) +
    path('M-26-40L-46-4L-24-10zM26-40L46-4L24-10z', colors.main);
  const flag = line('M0 0V-84', colors.dark, 5) + path('M2-84L56-66L2-46z', colors.main);
  return (
    shadow(180, colors.dark) +
    block(0, -118, -38) +
    block(1, -38, -38) +
    block(2, 42, -38) +
    block(3, -80, -115, -4) +
    block(4, 4, -115, 3) +
    place(random.chance(0.5) ? rocket : flag, -38, -152) +
    place(ball(scene), 136, 4)
  );
}

function swing(scene: Scene): string {
  const { colors, random } = scene;
  const seat = (x: number, turn: number, fill: string): string =>
    place(line('M-24 0V136M24 0V136', colors.light, 4) + rect(-34, 134, 68, 12, fill, 6), x, -206, 1, turn);
  return (
    shadow(190, colors.dark) +
    line('M-190 0L-150-212L-110 0M190 0L150-212L110 0', colors.third, 12) +
    line('M-164-208H164', colors.main, 15) +
    seat(-56, random.pick([0, 14, 18]), colors.second) +
    seat(56, random.pick([-18, -10, 6]), colors.main) +
    repeat(5, (index) =>
      path(
        `M${-120 + index * 50}-200h40l-20 26z`,
        [colors.second, colors.third, colors.main][index % 3] ?? colors.main,
      ),
    ) +
    place(ball(scene), 0, 44, 0.8)
  );
}

export const children = oneOf(
  [swing, /playground|swing|park|play/],
  [kites, /kite|camp|summer|holiday|wind/],
  [blocks, /toy|block|nursery|kinder|creche|early/],
);
