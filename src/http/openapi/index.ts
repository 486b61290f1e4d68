export { createOpenApiDocument } from './document';
export { errorCodesOf } from './error-codes';
export type { WebhookContract } from './webhook';
