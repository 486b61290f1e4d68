import { darkWood, leaf, wood } from './palette';
import { circle, dots, ellipse, line, oneOf, path, place, rect, repeat, type Scene, shadow } from './shapes';

function stall({ colors, random }: Scene): string {
  const [one, two] = random.pick([
    [colors.main, colors.light],
    [colors.third, colors.light],
    [colors.main, colors.second],
  ] as [[string, string], ...[string, string][]]);
  const awning = repeat(8, (index) => {
    const x = -168 + index * 42;
    return path(`M${-132 + index * 33}-226h33L${x + 42}-166a21 20 0 0 1-42 0z`, index % 2 ? two : one);
  });
  const produce = repeat(3, (crate) => {
    const fill = random.pick(['#e2574c', '#f0962f', leaf, '#f3c33f', '#7b57a3']);
    const x = -98 + crate * 98;
    return (
      dots(`M${x - 30}-108h62m-52-14h44`, fill, 22, 20) +
      rect(x - 43, -104, 86, 26, wood, 3) +
      line(`M${x - 40}-91h80`, darkWood, 3)
    );
  });
  return (
    shadow(185, colors.dark) +
    rect(-150, -180, 11, 180, darkWood) +
    rect(139, -180, 11, 180, darkWood) +
    rect(-139, -166, 278, 90, colors.dark).replace('/>', ' opacity=".18"/>') +
    produce +
    awning +
    rect(-136, -234, 272, 12, darkWood, 4) +
    rect(-164, -80, 328, 15, darkWood, 4) +
    rect(-154, -66, 308, 68, colors.second === two ? colors.third : colors.second) +
    line('M-92-64V0M-31-64V0M31-64V0M92-64V0', '#00000022', 4)
  );
}

function sewing({ colors, random }: Scene): string {
  const body = random.pick([colors.dark, colors.main, colors.third]);
  const cloth = body === colors.main ? colors.third : colors.main;
  const spool = (x: number, fill: string): string =>
    rect(x - 17, -40, 34, 7, wood, 3) + rect(x - 12, -34, 24, 28, fill) + rect(x - 17, -7, 34, 7, wood, 3);
  return (
    shadow(190, colors.dark) +
    path('M-190-16Q-150-40-110-36H-20L10 2H-200Q-176-6-190-16z', cloth) +
    dots('M-150-14H-10', colors.light, 10, 26) +
    rect(-90, -38, 240, 38, wood, 8) +
    rect(-90, -38, 240, 12, darkWood, 6) +
    rect(-46, -212, 7, 32, wood) +
    rect(26, -206, 24, 26, colors.second, 3) +
    path(
      'M-96-180H92Q132-180 132-140V-36H72V-104Q72-118 58-118H-46V-84Q-46-78-52-78H-84Q-96-78-96-90z',
      body,
    ) +
    line('M-70-78V-36M-80-36h20', '#d5dbe0', 5) +
    line('M-64-148H60M104-150V-66', colors.second, 5) +
    circle(-72, -150, 10, colors.second) +
    circle(146, -124, 32, colors.second) +
    circle(146, -124, 20, body) +
    circle(146, -124, 7, colors.light) +
    line('M38-206Q-40-234-72-160V-80', colors.light, 2) +
    place(spool(0, colors.main) + spool(40, colors.second), -176, 18)
  );
}

function tools({ colors, random }: Scene): string {
  const hammer = rect(-7, -130, 14, 140, wood, 6) + path('M-46-158H26Q46-156 50-134H24V-126H-46z', '#59636e');
  const wrench = path('M-9 10V-108A34 34 0 0 1-16-164V-134H16V-164A34 34 0 0 1 9-108V10z', '#a9b4bf');
  const saw = path('M-16 0L-24-150H12L26 0z', '#c9d1d8') + rect(-24, -30, 54, 40, colors.third, 8);
  const brush =
    rect(-7, -96, 14, 106, colors.second, 6) +
    rect(-24, -122, 48, 30, '#59636e', 4) +
    path('M-24-122V-158L-12-150L0-160L12-150L24-158V-122z', colors.main);
  const set = random.pick([
    [hammer, wrench, brush],
    [wrench, saw, hammer],
    [brush, hammer, wrench],
  ] as [[string, string, string], ...[string, string, string][]]);
  const box = random.pick([colors.main, colors.third]);
  return (
    shadow(165, colors.dark) +
    circle(0, -128, 122, colors.light, 0.45) +
    place(set[0], -74, -84, 0.9, -20) +
    place(set[1], 0, -92, 0.95) +
    place(set[2], 76, -84, 0.9, 20) +
    rect(-140, -104, 280, 104, box, 10) +
    rect(-140, -104, 280, 28, '#00000022', 10) +
    rect(-150, -112, 300, 20, colors.dark, 8) +
    rect(-96, -98, 30, 34, colors.second, 4) +
    rect(66, -98, 30, 34, colors.second, 4) +
    line('M-36-50V-62Q-36-70-28-70H28Q36-70 36-62V-50', colors.light, 8) +
    ellipse(0, -26, 60, 3, '#000', 0.15)
  );
}

export const livelihoods = oneOf(
  [tools, /mechanic|tool|carpent|workshop|repair/],
  [sewing, /sew|tailor|textile|weav|cloth/],
  [stall, /market|stall|shop|farm|honey|bee|cocoa|coffee/],
);
