import { hash } from 'node:crypto';

/** Lines of a day are compared in buckets, so that one transaction handles few of them. */
export const bucketCount = 1_024;
/** Equal lines of a statement up to this number share a bucket, and their money a transaction. */
const equalLinesInBucket = 25;

export const allBuckets = '1'.repeat(bucketCount);

const firstBucketOf = (digest: string): number =>
  hash('sha256', digest, 'buffer').readUInt16BE(0) % bucketCount;

/**
 * The bucket of a line.
 *
 * @param digest what equal lines have in common
 * @param occurrence the number of the line among the equal lines of its statement, from 1
 */
export const bucketOf = (digest: string, occurrence: number): number =>
  (firstBucketOf(digest) + Math.floor((occurrence - 1) / equalLinesInBucket)) % bucketCount;

/**
 * Numbers the buckets of equal lines, from 0.
 *
 * @param digest what equal lines have in common
 */
export const seriesIn = (bucket: number, digest: string): number =>
  (bucket - firstBucketOf(digest) + bucketCount) % bucketCount;

/** A set of buckets as PostgreSQL writes `bit(1024)`: the first digit is bucket 0. */
export function bitsOf(buckets: Iterable<number>): string {
  const digits = new Uint8Array(bucketCount).fill(48);
  for (const bucket of buckets) digits[bucket] = 49;
  return Buffer.from(digits).toString('latin1');
}

/** The buckets in a set. */
export const bucketsIn = (bits: string): number[] =>
  Array.from(bits, (digit, bucket) => (digit === '1' ? bucket : -1)).filter((bucket) => bucket >= 0);
