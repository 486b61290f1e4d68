import type { Request } from 'express';
import type { z } from 'zod';

import { readBodyBytes } from './body-bytes';
import { mediaOf } from './body';

export type UploadMedia = 'ndjson' | 'csv';

export const uploadTypes: Record<UploadMedia, string> = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
};

/** The file of an operation that takes one line for each of many things. */
export interface UploadContract {
  /** The largest file, before and after decompression. It overrides the limit of bodies. */
  readonly limitBytes: number;
  /** One line, as a JSON object. A CSV file has a column for each member. */
  readonly line: z.ZodObject;
  readonly examples: { readonly ndjson: unknown; readonly csv: string };
}

/** The whole file as it arrived. */
export interface Upload {
  readonly media: UploadMedia;
  readonly bytes: Buffer;
}

/** @throws ServiceError as `readBodyBytes` does; 415 for a type that is neither NDJSON nor CSV */
export async function readUpload(req: Request, { limitBytes }: UploadContract): Promise<Upload> {
  const bytes = await readBodyBytes(req, limitBytes);
  return { media: mediaOf(req.get('Content-Type'), ['ndjson', 'csv'], uploadTypes), bytes };
}
