import { createFairBuffer } from '../../src/shared/fair-buffer';

test('one tenant fills the buffer, and another still gets its share', () => {
  const buffer = createFairBuffer<string>(4);
  for (const entry of ['a1', 'a2', 'a3', 'a4']) expect(buffer.add(1, entry)).toBeUndefined();
  expect(buffer.add(1, 'a5')).toBe('a5');
  expect([buffer.add(2, 'b1'), buffer.add(2, 'b2')]).toEqual(['a4', 'a3']);
  // Both tenants have the same number of entries.
  expect([buffer.add(2, 'b3'), buffer.add(1, 'a6')]).toEqual(['b3', 'a6']);
  expect(buffer.add(3, 'c1')).toBe('a2');
  expect([1, 2, 3].map((tenant) => buffer.countOf(tenant))).toEqual([1, 2, 1]);
});

test('removed and drained entries make space', () => {
  const buffer = createFairBuffer<string>(2);
  buffer.add(1, 'a1');
  buffer.add(1, 'a2');
  buffer.remove(1, 'a1');
  buffer.remove(1, 'a1');
  expect(buffer.add(1, 'a3')).toBeUndefined();
  expect(buffer.drain()).toEqual([
    [1, 'a2'],
    [1, 'a3'],
  ]);
  expect([buffer.add(2, 'b1'), buffer.add(2, 'b2'), buffer.drain().length]).toEqual([
    undefined,
    undefined,
    2,
  ]);
});
