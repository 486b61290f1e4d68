import type { Knex } from 'knex';
import type { ClientBase } from 'pg';

import { MigrationError } from './migration-error';
import type { SchemaFile } from './schema-files';
import { splitSql } from './split-sql';

/** One query of a file, and the line on which its text starts, from 1. */
interface LocatedQuery {
  text: string;
  line: number;
}

const lineBreaks = (text: string): number => text.split('\n').length - 1;

function queriesOf({ text }: SchemaFile): LocatedQuery[] {
  let end = 0;
  return splitSql(text).map((query) => {
    const start = text.indexOf(query, end);
    end = start + query.length;
    return { text: query, line: 1 + lineBreaks(text.slice(0, start)) };
  });
}

/**
 * Runs the queries of a file one at a time. A cluster rejects several in one command.
 *
 * @param isDone whether a query has nothing to change
 * @throws MigrationError with the file and the line, except for locks that were not granted
 */
export async function runFile(
  transaction: Knex,
  file: SchemaFile,
  isDone: (query: string) => boolean = () => false,
): Promise<void> {
  for (const query of queriesOf(file)) {
    if (isDone(query.text)) continue;
    try {
      await send(transaction, query.text);
    } catch (error) {
      throw isSqlError(error) && !isLockFailure(error) ? located(file, query, error, 0) : error;
    }
  }
}

const definesFunction = (text: string): boolean => /^\s*CREATE OR REPLACE FUNCTION\b/.test(text);

/**
 * PL/pgSQL parses a query without running it. A trigger would need a lock that even autovacuum
 * withholds.
 */
const parseOnly = (text: string): string => `DO $check$ BEGIN RETURN; ${text}; END $check$`;

/**
 * Looks for syntax errors in the files. It creates each function and takes it back, because a table
 * that a pending migration creates may not exist yet. All other queries are only parsed.
 *
 * @throws MigrationError with the file and the line
 */
export async function checkSyntax(transaction: Knex, files: readonly SchemaFile[]): Promise<void> {
  for (const file of files) {
    for (const query of queriesOf(file)) {
      const { text } = query;
      const sent = definesFunction(text) ? text : parseOnly(text);
      await transaction.raw('SAVEPOINT before_check');
      try {
        await send(transaction, sent);
      } catch (error) {
        if (!isSqlError(error) || isLockFailure(error)) throw error;
        if (error.code === syntaxError) throw located(file, query, error, sent.indexOf(text));
      }
      await transaction.raw('ROLLBACK TO SAVEPOINT before_check');
    }
  }
}

/**
 * Sends a text as it is. Knex would take a question mark as a parameter, and remove backslashes
 * before it.
 */
async function send(transaction: Knex, text: string): Promise<void> {
  const client = transaction.client as {
    acquireConnection: () => Promise<ClientBase>;
    releaseConnection: (connection: ClientBase) => Promise<void>;
  };
  const connection = await client.acquireConnection();
  try {
    await connection.query(text);
  } finally {
    await client.releaseConnection(connection);
  }
}

const syntaxError = '42601';

/** An error of PostgreSQL, with the fields of its protocol. */
interface SqlError extends Error {
  code: string;
  /** In the query, from 1, in characters. */
  position?: string;
  where?: string;
  detail?: string;
  hint?: string;
}

const isSqlError = (error: unknown): error is SqlError => error instanceof Error && 'code' in error;

/** lock_not_available: lock_timeout; deadlock_detected. */
const lockCodes = new Set(['55P03', '40P01']);
export const isLockFailure = (error: unknown): boolean => isSqlError(error) && lockCodes.has(error.code);

/** @param added the number of characters that were sent before the query */
function located(
  { path: file }: SchemaFile,
  { text, line }: LocatedQuery,
  error: SqlError,
  added: number,
): MigrationError {
  const reason = [error.message, error.detail, error.hint].filter((part) => part !== undefined).join('. ');
  return new MigrationError(
    `database/${file}, line ${line + lineWithin(text, error, added)}: ${reason.split('\n')[0] ?? ''}`,
    { cause: error },
  );
}

/** The line of the error within the query, from 0. */
function lineWithin(text: string, { position, where }: SqlError, added: number): number {
  if (position !== undefined) {
    const before = Array.from(text).slice(0, Math.max(0, Number(position) - 1 - added));
    return lineBreaks(before.join(''));
  }
  // PL/pgSQL counts from the line with the opening dollar quote.
  const [, bodyLine] = /\bline (\d+)/.exec(where ?? '') ?? [];
  if (bodyLine !== undefined) return lineBreaks(text.slice(0, text.indexOf('$$'))) + Number(bodyLine) - 1;
  return lineBreaks(text) - lineBreaks(text.trimStart());
}
