export { FileIntentStore } from './file-store.js';
export { PostgresIntentStore, type Queryable } from './postgres-store.js';
export { webhookHandler, type WebhookHandlerOptions } from './webhook-handler.js';
