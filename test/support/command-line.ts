import { InvalidArgumentError } from 'commander';

/** An option whose value is an integer of at least 0. */
export function parseWholeNumber(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 0) return number;
  throw new InvalidArgumentError('A whole number is needed.');
}
