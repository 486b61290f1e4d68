import type { Request } from 'express';

import { ServiceError, type InputError } from '../shared/errors';
import { readBodyBytes } from './body-bytes';
import { readForm } from './multipart';

export type BodyMedia = 'json' | 'multipart';

const mediaTypes: Record<BodyMedia, string> = {
  json: 'application/json',
  multipart: 'multipart/form-data',
};

/** Reads a request's body whole, bounded, whatever its type. */
export type BodyReader = (req: Request) => Promise<Buffer>;

/** @param limitBytes the largest body, before and after decompression */
export function createBodyReader(limitBytes: number): BodyReader {
  return (req) => readBodyBytes(req, limitBytes);
}

/**
 * Parses a body by its Content-Type into a plain object.
 *
 * @param accepted what the operation accepts
 * @throws ServiceError 415 for another type or none, 400 for a body that is not what its type says
 */
export function parseBody(
  body: Buffer,
  contentType: string | undefined,
  accepted: readonly BodyMedia[],
): Record<string, unknown> {
  const [type = '', ...parameters] = (contentType ?? '').split(';').map((part) => part.trim());
  const media = accepted.find((candidate) => mediaTypes[candidate] === type.toLowerCase());
  if (!media) {
    const expected = accepted.map((candidate) => mediaTypes[candidate]).join(' or ');
    throw new ServiceError('unsupported_media_type', {
      detail:
        contentType === undefined ? `Send a Content-Type: ${expected}.` : `Send the body as ${expected}.`,
    });
  }
  const charset = parameters.find((parameter) => /^charset=/i.test(parameter))?.slice('charset='.length);
  if (charset !== undefined && !/^"?utf-?8"?$/i.test(charset)) {
    throw new ServiceError('unsupported_media_type', { detail: 'Send the body in UTF-8.' });
  }
  return media === 'json' ? parseJson(body) : parseMultipart(body, contentType ?? '');
}

function parseJson(body: Buffer): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (error) {
    throw new ServiceError('malformed_body', {
      detail:
        body.length === 0 ? 'The body is empty. Send a JSON object.' : 'The body is not valid JSON in UTF-8.',
      cause: error,
    });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ServiceError('malformed_body', {
      detail: 'The body is JSON, but not an object. Send a JSON object.',
    });
  }
  return value as Record<string, unknown>;
}

/** The bodies here are a few short text fields in a bounded buffer: no file ever touches a disk. */
function parseMultipart(body: Buffer, contentType: string): Record<string, unknown> {
  const parts = readForm(body, contentType);
  if (!parts) {
    throw new ServiceError('malformed_body', {
      detail: 'The body is not valid multipart/form-data in UTF-8 with the boundary that Content-Type names.',
    });
  }
  const fields = new Map<string, string>();
  const errors: InputError[] = [];
  for (const { name, isFile, value } of parts) {
    const pointer = jsonPointer([name]);
    if (isFile) {
      errors.push({ pointer, code: 'file_not_allowed', detail: 'Send text fields only, no files.' });
    } else if (fields.has(name)) {
      errors.push({ pointer, code: 'duplicate', detail: 'Send this field once.' });
    } else {
      fields.set(name, value);
    }
  }
  if (errors.length > 0) {
    throw new ServiceError('invalid_request', {
      detail: 'The form has fields that are not accepted.',
      errors,
    });
  }
  return Object.fromEntries(fields);
}

/** RFC 6901. */
export function jsonPointer(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replace(/~/g, '~0').replace(/\//g, '~1')}`).join('');
}
