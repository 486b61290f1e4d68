import { hash } from 'node:crypto';

/** A key as PostgreSQL's bigint. Different keys can have the same hash. */
export const hashOf = (key: string): string => hash('sha256', key, 'buffer').readBigInt64BE(0).toString();
