import { resolved, type DescribedResponse } from './document';
import { schemaViolations } from './schema-validator';

/**
 * General HTTP and browser security headers, which the document describes in its text only. Every
 * other response header must be documented at its response.
 */
const undocumentedHeaders: ReadonlySet<string> = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
  'vary',
  'content-security-policy',
  'cross-origin-opener-policy',
  'cross-origin-resource-policy',
  'origin-agent-cluster',
  'referrer-policy',
  'strict-transport-security',
  'x-content-type-options',
  'x-dns-prefetch-control',
  'x-download-options',
  'x-frame-options',
  'x-permitted-cross-domain-policies',
  'x-xss-protection',
]);

/** Names in lower case. */
export type ResponseHeaders = Readonly<Record<string, string | undefined>>;

/** Differences between the headers of a response and the document. */
export function headerViolations(response: DescribedResponse, headers: ResponseHeaders): string[] {
  const described = Object.entries(response.headers ?? {});
  const names = new Set(described.map(([name]) => name.toLowerCase()));
  return [
    ...described.flatMap(([name, reference]) => {
      const { required, schema } = resolved(reference) as { required?: boolean; schema: { type?: string } };
      const text = headers[name.toLowerCase()];
      if (text === undefined) return required ? [`the header ${name} is missing`] : [];
      const value = schema.type === 'integer' && /^\d+$/.test(text) ? Number(text) : text;
      return schemaViolations(schema as Record<string, unknown>, value).map(
        (what) => `the header ${name}: ${what}`,
      );
    }),
    ...Object.keys(headers)
      .filter((name) => !names.has(name) && !undocumentedHeaders.has(name))
      .map((name) => `the header ${name} is not documented`),
  ];
}
