import { readFileSync } from 'node:fs';
import path from 'node:path';

import { demoProjects } from '../../seeds/demo/catalogue';
import { root } from '../support/program';
import { startService, type TestService } from '../support/service';

const pictures = demoProjects.flatMap(({ slug, category, highlights, stories }) =>
  [
    slug,
    ...highlights.flatMap(({ pictureSlug }) => pictureSlug ?? []),
    ...stories.map((_story, index) => `${slug}-story-${index + 1}`),
  ].map((name) => `${category}/${name}.svg`),
);
let service: TestService;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

test('every demo picture is cacheable for an hour and available to pages of any origin', async () => {
  expect(pictures.length).toBeGreaterThan(100);
  for (const picture of pictures) {
    const response = await service.anonymous.raw('get', `/demo/pictures/${picture}`);
    expect([picture, response.status, response.headers]).toMatchObject([
      picture,
      200,
      {
        'content-type': 'image/svg+xml; charset=utf-8',
        'cache-control': 'public, max-age=3600',
        'cross-origin-resource-policy': 'cross-origin',
      },
    ]);
    expect((response.body as Buffer).toString()).toBe(
      readFileSync(path.join(root, 'seeds/demo/pictures', picture), 'utf8'),
    );
  }
});

test.each([
  'water/unknown.svg',
  'unknown/clean-water-for-kisumu.svg',
  '..%2Fcatalogue/water.svg',
  'water/a%00.svg',
])('%s gets 404', async (picture) => {
  const { status, headers } = await service.anonymous.raw('get', `/demo/pictures/${picture}`);
  expect([status, headers['cache-control']]).toEqual([404, 'no-store']);
});
