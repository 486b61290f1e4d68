import { createCompressionCache } from '../../src/http/response/compression-cache';

const body = (bytes: number) => () => Promise.resolve(Buffer.alloc(bytes));

/** Whether a key is compressed again. */
async function isForgotten(bodies: ReturnType<typeof createCompressionCache>, key: string, bytes: number) {
  let isCompressed = false;
  await bodies.find(key, () => {
    isCompressed = true;
    return Promise.resolve(Buffer.alloc(bytes));
  });
  return isCompressed;
}

test('a cached body is not compressed again', async () => {
  const bodies = createCompressionCache(10);
  await bodies.find('a', body(5));
  expect(await isForgotten(bodies, 'a', 5)).toBe(false);
});

test('beyond the capacity, the least recently used entry is evicted', async () => {
  const bodies = createCompressionCache(10);
  await bodies.find('a', body(5));
  await bodies.find('b', body(5));
  await bodies.find('a', body(5));
  await bodies.find('c', body(5));
  expect(await isForgotten(bodies, 'a', 5)).toBe(false);
  expect(await isForgotten(bodies, 'c', 5)).toBe(false);
  expect(await isForgotten(bodies, 'b', 5)).toBe(true);
});

test('two concurrent compressions of the same body are counted once', async () => {
  const bodies = createCompressionCache(10);
  await Promise.all([bodies.find('a', body(5)), bodies.find('a', body(5))]);
  await bodies.find('b', body(5));
  expect(await isForgotten(bodies, 'a', 5)).toBe(false);
  expect(await isForgotten(bodies, 'b', 5)).toBe(false);
});

test('a body larger than the capacity is returned but not cached', async () => {
  const bodies = createCompressionCache(10);
  expect(await bodies.find('a', body(11))).toHaveLength(11);
  expect(await isForgotten(bodies, 'a', 11)).toBe(true);
  await bodies.find('b', body(10));
  expect(await isForgotten(bodies, 'b', 10)).toBe(false);
});
