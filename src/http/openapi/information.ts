import type { JsonObject } from './json';

const description = `
Through this API partner companies show donation projects and stories to their users and record contributions, and a
partner bank marks a contribution completed after it has moved the money.

**Credentials.** Each request carries \`API-Key\` and \`API-Secret\`, over HTTPS. The pair alone selects the company and its
environment, test or production. A pair has scopes: \`x-scope\` names the one that an operation needs.

**Origin.** \`x-origin\` and the tags tell the operations of the interface specification, with the section, from those that
this service adds.

**Errors.** Every error is a problem document (RFC 9457) with a \`code\`; the codes of each operation stand at its statuses.
A path that the service does not have answers 404 \`path_not_found\`, a method that a path does not have 405
\`method_not_allowed\` with \`Allow\`: they are under \`components/responses\`, because they belong to no operation. What is no
valid HTTP is 400 \`malformed_http\`, what does not arrive in time 408 \`request_timeout\`, headers that are too large are 431
\`headers_too_large\`, on any path. Without TLS, where the service demands it, any path but the two of health is 403
\`https_required\`.

**HEAD** is answered wherever GET is, in the same way but without a body.

**Headers.** Apart from those described here, answers carry those of HTTP itself (such as Date, Vary and Content-Encoding)
and those that protect browsers (such as Strict-Transport-Security and X-Content-Type-Options).

**Changes** only add: operations, optional parameters, members and headers of answers, and values where the document says
\`x-open-enum\`. Ignore what you do not know.
`
  .trim()
  .replace(/(?<!\n)\n(?!\n)/g, ' ');

/** Title, text and licence of the document. */
export function information(version: string): JsonObject {
  return {
    title: 'Contribution and Project Integration Service',
    version,
    description,
    license: { name: 'MIT', identifier: 'MIT' },
  };
}

export const tags = [
  { name: 'Specification', description: 'Operations of the interface specification' },
  { name: 'Additions', description: 'Operations that this service adds' },
];

/** API-Key and API-Secret; both are required. */
export const securitySchemes = {
  ApiKey: { type: 'apiKey', in: 'header', name: 'API-Key', description: 'The public half of the key pair' },
  ApiSecret: {
    type: 'apiKey',
    in: 'header',
    name: 'API-Secret',
    description: 'The secret half of the key pair',
  },
};
