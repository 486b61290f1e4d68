import { readFileSync } from 'node:fs';
import { createHash } from 'node:crypto';

import { Option } from 'commander';

import { type FileFormat, fileFormats } from '../catalogue-import/catalogue-files';
import { OperatorError } from '../../shared/operator-error';
import type { CommandIo } from '../cli/command-io';

export interface FileOptions {
  format?: FileFormat;
}

export const formatOption = (): Option =>
  new Option('--format <format>', 'required unless the file name ends in .csv or .json').choices(fileFormats);

/** The format of --format, or else of the file name's extension. */
export function formatOf(file: string | undefined, { format }: FileOptions): FileFormat {
  if (format !== undefined) return format;
  const ending = fileFormats.find((known) => file?.toLowerCase().endsWith(`.${known}`));
  if (ending !== undefined) return ending;
  throw new OperatorError('The file name does not end in .csv or .json: specify --format.');
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : 'no reason given');

/** Reads a file, or standard input for "-". The audit log identifies the file by its SHA-256. */
export function readTextFile(
  { readStdin }: Pick<CommandIo, 'readStdin'>,
  file: string,
): { text: string; sha256: string } {
  let bytes: Buffer;
  try {
    bytes = file === '-' ? readStdin() : readFileSync(file);
  } catch (error) {
    throw new OperatorError(`The file cannot be read: ${reasonOf(error)}`);
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new OperatorError('The file is not UTF-8. Save it as UTF-8 and retry.');
  }
  return { text, sha256: createHash('sha256').update(bytes).digest('hex') };
}
