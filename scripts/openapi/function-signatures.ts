import type { SchemaFile } from '../../src/db/migrations/schema-files';

/**
 * What a caller of each function depends on, a line for each: name, arguments and result. The
 * processes of two releases call the same functions during an upgrade, so what was released stays.
 */
export function signaturesOf(functions: readonly SchemaFile[]): string[] {
  return functions.map(({ text }) => {
    const [, header = ''] = /^CREATE OR REPLACE FUNCTION ([^]*?)\s+LANGUAGE /.exec(text) ?? [];
    return header.replace(/\s+/g, ' ').replaceAll('( ', '(').replaceAll(' )', ')');
  });
}
