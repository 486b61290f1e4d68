import type { z } from 'zod';

import { ServiceError } from '../../shared/errors';
import { readBodyBytes, tooLarge, type WithBody } from './body-bytes';
import { mediaOf } from './body';
import { readFormFile } from './multipart';

export type UploadMedia = 'ndjson' | 'csv' | 'file';

export const uploadTypes: Record<'ndjson' | 'csv', string> = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
};

interface AnyUpload {
  /** The largest file, before and after decompression. It replaces the usual limit of bodies. */
  readonly limitBytes: number;
}

/** A file with one line for each item. */
export interface LinesContract extends AnyUpload {
  /** One line, as a JSON object. A CSV file has a column for each member. */
  readonly line: z.ZodObject;
  readonly examples: { readonly ndjson: unknown; readonly csv: string };
}

/** A file in its own format, sent as the body or in the field `file` of a form. */
export interface FileContract extends AnyUpload {
  readonly file: {
    readonly mediaTypes: readonly string[];
    readonly description: string;
    /** An example of the file, in the first media type. */
    readonly example: string;
  };
}

export type UploadContract = LinesContract | FileContract;

/** The bytes around the file in a form. */
const formBytes = 4 * 1024;

/** The largest body of an upload. */
export const uploadBytes = (contract: UploadContract): number =>
  contract.limitBytes + ('file' in contract ? formBytes : 0);

/** The whole file as it arrived. */
export interface Upload {
  readonly media: UploadMedia;
  readonly bytes: Buffer;
}

/**
 * @throws ServiceError as `readBodyBytes` does; 415 for a type that the contract does not accept;
 *   400 for a form that has more or less than one file
 */
export async function readUpload(request: WithBody, contract: UploadContract): Promise<Upload> {
  const { 'content-type': contentType } = request.req.headers;
  if ('line' in contract) {
    const bytes = await readBodyBytes(request, contract.limitBytes);
    return { media: mediaOf(contentType, ['ndjson', 'csv'], uploadTypes), bytes };
  }
  const isForm = /^multipart\/form-data\s*(;|$)/i.test(contentType ?? '');
  if (!isForm) return { media: 'file', bytes: await readFile(request, contract, contentType) };
  const form = await readBodyBytes(request, uploadBytes(contract));
  const bytes = readFormFile(form, contentType ?? '', 'file');
  if (!bytes || bytes.length > contract.limitBytes) {
    throw new ServiceError('malformed_body', {
      detail: 'The form must have exactly one part: a file in the field `file`.',
    });
  }
  return { media: 'file', bytes };
}

async function readFile(
  request: WithBody,
  { limitBytes, file: { mediaTypes } }: FileContract,
  contentType: string | undefined,
): Promise<Buffer> {
  const bytes = await readBodyBytes(request, limitBytes);
  // The body limit also covers the other parts of a form, so check the size of the file itself.
  if (bytes.length > limitBytes) throw tooLarge(limitBytes);
  // Ignore a charset, because the file states its encoding.
  const type = (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (!mediaTypes.includes(type)) {
    throw new ServiceError('unsupported_media_type', {
      detail: `Send the file as ${mediaTypes.join(', ')}, or in a form as multipart/form-data.`,
    });
  }
  return bytes;
}
