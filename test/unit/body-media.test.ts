import { mediaOf } from '../../src/http/request/body';

const media = (contentType: string) => mediaOf(contentType, ['json'], { json: 'application/json' });

test.each([
  'application/json',
  ' Application/JSON ;charset=UTF-8',
  'application/json ; a=b ; charset="utf-8"',
])('the media type of "%s" is accepted', (contentType) => {
  expect(media(contentType)).toBe('json');
});

test.each(['text/json', 'application/json; charset=utf-16', 'application/json;charset= utf-8'])(
  'the media type of "%s" is rejected',
  (contentType) => {
    expect(() => media(contentType)).toThrow(expect.objectContaining({ code: 'unsupported_media_type' }));
  },
);

test('a media type with thousands of spaces is read in linear time', () => {
  const start = performance.now();
  for (let time = 0; time < 10; time += 1) expect(() => media(`a${' '.repeat(15_000)}b`)).toThrow();
  expect(performance.now() - start).toBeLessThan(500);
});
