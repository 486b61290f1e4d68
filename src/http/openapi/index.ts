export { createOpenApiDocument } from './document';
export { commonErrors, errorCodesOf } from './error-codes';
