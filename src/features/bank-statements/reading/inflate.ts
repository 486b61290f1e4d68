import { StatementFileRefused } from '@contribution-service/bank-files';

/**
 * Unpacks bytes with a function of zlib, which stops at the limit. A small file thus cannot take
 * much memory.
 *
 * @throws StatementFileRefused if the bytes are damaged, or unpack to more than the limit
 */
export function inflate(
  packed: Uint8Array,
  limitBytes: number,
  withFormat: (packed: Uint8Array, options: { maxOutputLength: number }) => Buffer,
): Buffer {
  try {
    return withFormat(packed, { maxOutputLength: limitBytes });
  } catch (error) {
    throw new StatementFileRefused(
      (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
        ? `The file unpacks to more than ${limitBytes / 1024 / 1024} MiB.`
        : 'The compressed file is damaged.',
    );
  }
}
