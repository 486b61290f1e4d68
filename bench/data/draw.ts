/**
 * A number from 0 to below that looks random, the same for the same number and salt. Everything
 * that is generated follows from these, so that every table can be made without another, in any
 * order.
 *
 * @param salt distinguishes what is drawn for one number, below 1,000
 * @param below at most 2 ** 32
 */
export type Draw = (number: number, salt: number, below: number) => number;

/**
 * Every bit of the result depends on every bit of a 32-bit number (the last steps of MurmurHash3),
 * and no two have the same.
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
