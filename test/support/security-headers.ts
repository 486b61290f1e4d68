/** The security headers and the request id that every response of the application has. */
const protectiveHeaders: Readonly<Record<string, RegExp>> = {
  'content-security-policy': /^default-src 'none';[^,]*$/,
  'cross-origin-opener-policy': /^same-origin$/,
  'cross-origin-resource-policy': /^(same|cross)-origin$/,
  'origin-agent-cluster': /^\?1$/,
  'referrer-policy': /^no-referrer$/,
  'x-content-type-options': /^nosniff$/,
  'x-dns-prefetch-control': /^off$/,
  'x-download-options': /^noopen$/,
  'x-frame-options': /^SAMEORIGIN$/,
  'x-permitted-cross-domain-policies': /^none$/,
  'x-request-id': /^[A-Za-z0-9._-]{1,128}$/,
  'x-xss-protection': /^0$/,
};

/** @throws Error naming the headers that are missing or have another value */
export function expectSecurityHeaders(headers: Readonly<Record<string, string | undefined>>): void {
  const wrong = Object.entries(protectiveHeaders)
    .filter(([name, value]) => !value.test(headers[name] ?? ''))
    .map(([name]) => `${name}: ${headers[name] ?? 'missing'}`);
  if (wrong.length > 0) throw new Error(`a response lacks security headers:\n${wrong.join('\n')}`);
}
