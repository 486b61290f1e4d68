/** Settings for tests that send more than the rate limits allow. */
export const withoutRateLimits = {
  RATE_LIMIT_PER_SECOND: '1000000',
  COMPLETION_RATE_LIMIT_PER_SECOND: '1000000',
  FAILED_AUTHENTICATIONS_PER_PAIR: '1000000',
  FAILED_AUTHENTICATIONS_PER_ADDRESS: '1000000',
};
