import { drawDemoPicture } from '../src/modules/demo/pictures/draw-demo-picture';

const categories = [
  'education',
  'health',
  'water',
  'food',
  'environment',
  'animals',
  'emergency',
  'housing',
  'culture',
  'livelihoods',
  'children',
  'technology',
  'something-else',
  'constructor',
];
const slugs = Array.from({ length: 60 }, (_, index) => `project-${index}-for-a-better-place`);
const pictures = categories.flatMap((category) => slugs.map((slug) => drawDemoPicture(slug, category)));

function unbalancedTags(svg: string): string[] {
  const open: string[] = [];
  for (const [tag, closing, name, selfClosing] of svg.matchAll(/<(\/?)([a-z]+)[^<>]*?(\/?)>/gi)) {
    if (closing) {
      if (open.pop() !== name) return [tag];
    } else if (!selfClosing) {
      open.push(name!);
    }
  }
  return open;
}

test('the same slug gives the same picture', () => {
  for (const category of categories) {
    expect(drawDemoPicture('clean-water', category)).toBe(drawDemoPicture('clean-water', category));
  }
});

test('pictures differ between slugs and between categories', () => {
  const known = pictures.slice(0, 13 * slugs.length);
  expect(new Set(known).size).toBe(known.length);
});

test('an unknown category gives the neutral picture', () => {
  expect(drawDemoPicture('clean-water', 'constructor')).toBe(
    drawDemoPicture('clean-water', 'something-else'),
  );
});

test('every picture has at most 6 KB', () => {
  const longest = Math.max(...pictures.map((svg) => Buffer.byteLength(svg)));
  const hostile = Buffer.byteLength(drawDemoPicture('&'.repeat(5000), 'culture'));
  expect(longest).toBeLessThanOrEqual(6 * 1024);
  expect(hostile).toBeLessThanOrEqual(6 * 1024);
});

test('pictures need nothing that a strict content security policy refuses', () => {
  for (const svg of pictures) {
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 640 400"/);
    expect(svg).not.toMatch(
      /<(script|style|foreignObject|image|use|a|text)\b|\s(style|on\w+|(xlink:)?href)=|url\(/i,
    );
    expect(svg.replace(' xmlns="http://www.w3.org/2000/svg"', '')).not.toContain('//');
  }
});

test('pictures are well formed, and their numbers are numbers', () => {
  for (const svg of pictures) {
    expect(unbalancedTags(svg)).toEqual([]);
    expect(svg.replace(/<title>.*?<\/title>/, '')).not.toMatch(/NaN|undefined|--|="[^"]*<|\d e-?\d/);
  }
});

test('the title is the slug in words, escaped', () => {
  expect(drawDemoPicture('clean-water-for-kisumu', 'water')).toContain(
    '<title>Clean water for kisumu</title>',
  );
  const hostile = drawDemoPicture('</title><script>&\u0000\uD800', 'water');
  expect(hostile).toContain('<title>&lt;/title&gt;&lt;script&gt;&amp; \uFFFD</title>');
  expect(hostile).not.toContain('<script');
  expect(unbalancedTags(hostile)).toEqual([]);
});
