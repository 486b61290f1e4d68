import { leaf } from './palette';
import { circle, ellipse, line, oneOf, path, place, rect, repeat, type Scene, shadow } from './shapes';

function books({ colors, random }: Scene): string {
  const covers = [colors.main, colors.third, colors.second];
  const first = random.int(0, 2);
  const count = random.int(3, 4);
  const stack = repeat(count, (index) => {
    const width = 240 - index * 18;
    const x = -width / 2 + random.int(-12, 12);
    const y = -38 * (index + 1);
    const cover = covers[(first + index) % 3] ?? colors.main;
    const pages = rect(x + 14, y + 6, width - 10, 26, colors.light, 3);
    const lines = line(`M${x + 30} ${y + 15}h${width - 40}m0 9h${40 - width}`, '#d9cfbd', 2);
    const sleeve = path(
      `M${x + width} ${y}H${x + 14}a14 19 0 0 0 0 38H${x + width}v-6H${x + 17}a9 13 0 0 1 0-26H${x + width}z`,
      cover,
    );
    return pages + lines + sleeve;
  });
  const apple =
    path('M0-46C-14-58-40-50-38-24C-36-4-16 4 0-2C16 4 36-4 38-24C40-50 14-58 0-46z', colors.main) +
    line('M0-46Q0-60 8-66', colors.dark, 4) +
    path('M4-54Q10-72 32-68Q26-50 4-54z', leaf) +
    ellipse(-22, -32, 5, 10, '#fff', 0.4);
  const cap =
    path('M-42-34V-8Q0 12 42-8V-34z', colors.dark) +
    path('M0-66L84-38L0-10L-84-38z', colors.third) +
    line('M0-38L66-30V-4', colors.second, 4) +
    circle(66, -2, 7, colors.second);
  return shadow(145, colors.dark) + stack + place(random.chance(0.5) ? apple : cap, 0, -38 * count);
}

function school({ colors, random }: Scene): string {
  const roof = random.pick([colors.main, colors.third]);
  const glass = random.pick([colors.sky, '#bfe0ee']);
  const pair = (x: number): string =>
    rect(x, -78, 30, 42, glass, 3) + line(`M${x + 15}-78v42m-15-21h30`, colors.light, 3);
  const flag = random.pick([colors.second, colors.main]);
  return (
    shadow(185, colors.dark) +
    line('M0-196V-262', colors.dark, 4) +
    path('M2-262q18-10 34 0t26-2v32q-12 8-28 0t-32 4z', flag) +
    rect(-160, -100, 320, 100, colors.light) +
    path('M-174-98L-148-142H148L174-98z', roof) +
    rect(-52, -150, 104, 150, colors.light) +
    rect(-52, -100, 104, 100, '#000', 0).replace('/>', ' opacity=".05"/>') +
    path('M-68-146L0-200L68-146z', roof) +
    circle(0, -128, 19, colors.second) +
    circle(0, -128, 14, '#fff') +
    line('M0-137v9h7', colors.dark, 3) +
    path('M-26 0V-58a26 26 0 0 1 52 0V0z', colors.third === roof ? colors.main : colors.third) +
    line('M0-84V0', colors.light, 3) +
    pair(-142) +
    pair(-100) +
    pair(70) +
    pair(112) +
    rect(-166, -8, 332, 10, colors.dark, 3)
  );
}

export const education = oneOf(
  [books, /book|librar|read|homework|braille|literacy/],
  [school, /school|class|teacher|kinder/],
);

function laptop({ colors, random }: Scene): string {
  const chart = repeat(5, (index) => {
    const height = random.int(14, 36) + index * 9;
    return rect(-84 + index * 36, -42 - height, 24, height, index % 2 ? colors.second : colors.main, 3);
  });
  const signal = place(
    line('M-68-34Q0-92 68-34M-42-8Q0-44 42-8', colors.second, 13) + circle(0, 18, 12, colors.main),
    0,
    -88,
  );
  return (
    shadow(190, colors.dark) +
    rect(-136, -196, 272, 178, colors.dark, 14) +
    rect(-122, -182, 244, 150, colors.light, 5) +
    rect(-122, -182, 244, 20, colors.third, 5) +
    circle(-108, -172, 4, colors.light) +
    circle(-95, -172, 4, colors.second) +
    (random.chance(0.5) ? chart + line('M-96-40h192', colors.dark, 3) : signal) +
    path('M-136-20H136L176-2Q176 6 166 6H-166Q-176 6-176-2z', '#dfe4ea') +
    path('M-176-2H176Q176 8 164 8H-164Q-176 8-176-2z', '#aeb8c4') +
    path('M-28-10H28L34-3H-34z', '#aeb8c4')
  );
}

function solar({ colors, random }: Scene): string {
  const panel =
    line('M0-64V0M-26 0h52', colors.dark, 8) +
    path('M-66-44L-34-132H82L50-44z', colors.light) +
    path('M-58-49L-30-127H74L46-49z', '#274f86') +
    line('M-44-88H60M-24-49L4-127M11-49L39-127', '#8fb6de', 3);
  const mast =
    path('M-5 0L-3-190H3L5 0z', colors.light) +
    place(
      repeat(
        3,
        (index) =>
          `<path d="M0-4Q16-40 0-92Q-8-40 0-4z" fill="${colors.light}" transform="rotate(${20 + index * 120})"/>`,
      ) + circle(0, 0, 8, colors.main),
      0,
      -190,
    );
  const count = random.int(2, 3);
  return (
    place(mast, random.pick([-170, 170]), -20, 1) +
    shadow(190, colors.dark) +
    repeat(count, (index) => place(panel, (index - (count - 1) / 2) * 128, index % 2 ? -4 : 0, 1.05))
  );
}

export const technology = oneOf(
  [laptop, /laptop|internet|comput|cod(e|ing)|digital|web/],
  [solar, /solar|sun|wind|energy|power|weather|lamp/],
);
