import { field, optionalField, type Refusal, refuse } from '../../http/request/fields';
import { formatCents, parseAmountToCents } from '../../shared/money';

/** The minimum and maximum of one contribution, in cents, inclusive. */
export interface AmountLimits {
  readonly minimumCents: bigint;
  readonly maximumCents: bigint;
}

/**
 * An amount in US dollars as a JSON number or as text (specification 4.3, 4.5), parsed to integer
 * cents. A JSON number is first converted to its shortest decimal text.
 */
export function amount(limits: AmountLimits) {
  return field(amountSchema(limits), parseAmount(limits));
}

/** An optional amount. */
export function optionalAmount(limits: AmountLimits) {
  return optionalField(amountSchema(limits), parseAmount(limits));
}

function amountSchema(limits: AmountLimits) {
  return {
    type: ['string', 'number'],
    description: `Amount in US dollars, from ${formatCents(limits.minimumCents)} to ${formatCents(limits.maximumCents)}, with at most two decimals after a dot. Send a string to avoid rounding.`,
    examples: ['25.00'],
    // JSON Schema has bounds for numbers only. The OpenAPI compatibility check reads these instead.
    'x-minimum': formatCents(limits.minimumCents),
    'x-maximum': formatCents(limits.maximumCents),
  };
}

const parseAmount =
  ({ minimumCents, maximumCents }: AmountLimits) =>
  (value: unknown): bigint | Refusal => {
    if (typeof value !== 'string' && typeof value !== 'number') {
      return refuse('invalid_type', 'Send a number or a string.');
    }
    const cents = parseAmountToCents(String(value));
    if (cents === undefined) {
      return refuse(
        'invalid_format',
        'Send US dollars as a plain decimal such as 25 or 25.50: at most two decimals after a dot, no sign, no exponent, no spaces.',
      );
    }
    if (cents < minimumCents || cents > maximumCents) {
      return refuse(
        'out_of_range',
        `Send an amount from ${formatCents(minimumCents)} to ${formatCents(maximumCents)}.`,
      );
    }
    return cents;
  };
