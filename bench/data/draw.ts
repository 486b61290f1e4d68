/**
 * A pseudo-random number, at least 0 and less than `below`, that depends only on the number and the
 * salt. All generated data uses such numbers, so tables can be generated independently and in any
 * order.
 *
 * @param salt distinguishes several draws for one number, below 1,000
 * @param below at most 2 ** 32
 */
export type Draw = (number: number, salt: number, below: number) => number;

/**
 * Mixes a 32-bit number (the final steps of MurmurHash3). Every bit of the result depends on every
 * bit of the input, and different inputs give different results.
 */
function mix(number: number): number {
  let bits = number ^ (number >>> 16);
  bits = Math.imul(bits, 0x85ebca6b);
  bits ^= bits >>> 13;
  bits = Math.imul(bits, 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

export function createDraw(seed: number): Draw {
  return (number, salt, below) => Math.floor((mix(number ^ mix(seed * 1_000 + salt)) / 2 ** 32) * below);
}
