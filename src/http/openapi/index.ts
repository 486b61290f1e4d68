export { createOpenApiDocument } from './document';
export { errorCodesOf } from './error-codes';
