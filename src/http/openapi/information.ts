import { operationGroups } from './operation-groups';
import type { JsonObject } from './json';

const description = `
Partner companies use this API to show donation projects and stories to their users, and to record contributions. A partner
bank completes a contribution after it transfers the money.

**Contributions and transactions.** A contribution is a user's donation to a project. The service records each contribution as
one transaction, which \`transaction_id\` identifies. Names and messages that contain "transaction" refer to the contribution.

**Credentials.** Send \`API-Key\` and \`API-Secret\` with each request, over HTTPS. The key pair selects the company and its
environment, test or production. A pair has scopes. \`x-scope\` names the scope that an operation requires.

**Errors.** Every error is a problem document (RFC 9457) with a \`code\`. Each operation lists its codes by status. Two
responses belong to no operation and are under \`components/responses\`: an unknown path gets 404 \`path_not_found\`, and an
unsupported method gets 405 \`method_not_allowed\` with \`Allow\`. On any path, the HTTP parser can reject a request with 400
\`malformed_http\`, 408 \`request_timeout\` or 431 \`headers_too_large\`. If the service requires TLS, plain HTTP gets 403
\`https_required\`, except on the health paths.

**HEAD** works wherever GET does. The response is the same, without a body.

**CSV.** With \`Accept: text/csv\`, every list is CSV instead of JSON. The response header \`Next-Cursor\` has the cursor of the next page.

**Headers.** Responses also carry headers of HTTP itself, such as Date, Vary and Content-Encoding, and headers that protect
browsers, such as Strict-Transport-Security and X-Content-Type-Options. This document does not describe them.

**Changes** are additive: new operations, optional parameters, response members, response headers, and values where the document
says \`x-open-enum\`. Ignore unknown members and values.
`
  .trim()
  .replace(/(?<!\n)\n(?!\n)/g, ' ');

/** Title, description and license of the document. */
export function information(version: string): JsonObject {
  return {
    title: 'Contribution and Project Integration Service',
    version,
    description,
    license: { name: 'MIT', identifier: 'MIT' },
  };
}

/** A tag for each group of operations, and for the webhooks. */
export const tags = [
  ...operationGroups
    .filter((group) => 'requests' in group)
    .map(({ title, purpose }) => ({ name: title, description: purpose })),
  { name: 'Health', description: 'The state of the service' },
  { name: 'Webhooks', description: 'Requests that this service sends to your webhook endpoints' },
];

/** Both headers are required. */
export const securitySchemes = {
  ApiKey: { type: 'apiKey', in: 'header', name: 'API-Key', description: 'Public identifier of the key pair' },
  ApiSecret: {
    type: 'apiKey',
    in: 'header',
    name: 'API-Secret',
    description: 'Secret of the key pair',
  },
};
