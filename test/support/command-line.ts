import { InvalidArgumentError } from 'commander';

/** An option that is a whole number from 0. */
export function parseWholeNumber(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 0) return number;
  throw new InvalidArgumentError('A whole number is needed.');
}
