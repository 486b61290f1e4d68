/**
 * The largest amount that the schema allows: one billion US dollars. Settings can only lower it.
 */
export const largestAmountCents = 100_000_000_000n;

// No sign, no exponent, no leading zero, a dot as separator, at most two decimals. Twelve digits
// are far above every limit.
const decimalAmount = /^(0|[1-9]\d{0,11})(?:\.(\d{1,2}))?$/;

/**
 * Parses a decimal amount in US dollars (specification 4.3, 4.5).
 *
 * @param text for example "10", "10.5" or "10.50"
 * @returns integer cents, or undefined when the text is not such an amount
 */
export function parseAmountToCents(text: string): bigint | undefined {
  const match = decimalAmount.exec(text);
  if (!match) return undefined;
  const [, dollars = '', cents = ''] = match;
  return BigInt(dollars) * 100n + BigInt(cents.padEnd(2, '0'));
}

/** Formats integer cents as US dollars with two decimals: 1050n becomes "10.50". */
export function formatCents(amountCents: bigint): string {
  const sign = amountCents < 0n ? '-' : '';
  const digits = (amountCents < 0n ? -amountCents : amountCents).toString().padStart(3, '0');
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
