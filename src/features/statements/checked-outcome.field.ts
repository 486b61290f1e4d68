/** The outcome of an entry by the file alone, without a lookup of contributions. */
export const outcomes = [
  'found',
  'several_references',
  'wrong_check_character',
  'no_reference',
  'other_currency',
  'not_booked',
  'sums_differ',
  'unreadable',
] as const;
export type Outcome = (typeof outcomes)[number];

export const idsOutcome = (count: number, hasWrongCheckCharacter: boolean): Outcome => {
  if (count === 1) return 'found';
  if (count > 1) return 'several_references';
  return hasWrongCheckCharacter ? 'wrong_check_character' : 'no_reference';
};
