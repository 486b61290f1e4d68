import type { z } from 'zod';

import { ServiceError, type InputError } from '../../shared/errors';
import { duplicateMembers, isNestedDeeperThan } from './duplicate-members';
import { jsonPointer } from './json-pointer';
import { readForm } from './multipart';

export type BodyMedia = 'json' | 'multipart';

const mediaTypes: Record<BodyMedia, string> = {
  json: 'application/json',
  multipart: 'multipart/form-data',
};

/** A body without required members may be absent. */
export const isOptional = ({ schema }: { readonly schema: z.ZodType }): boolean =>
  schema.safeParse({}).success;

/**
 * The most levels of nested objects and arrays, including the body itself. The operations need one.
 */
const maximumLevels = 32;

/**
 * Finds the media type of a body.
 *
 * @throws ServiceError 415 for a type that is not accepted, for none, and for another charset
 */
export function mediaOf<Media extends string>(
  contentType: string | undefined,
  accepted: readonly Media[],
  types: Readonly<Record<Media, string>>,
): Media {
  // A pattern for the separators and the spaces around them would take quadratic time.
  const [type = '', ...parameters] = (contentType ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const media = accepted.find((candidate) => types[candidate] === type);
  if (!media) {
    const expected = accepted.map((candidate) => types[candidate]).join(' or ');
    throw new ServiceError('unsupported_media_type', {
      detail:
        contentType === undefined
          ? `The Content-Type is missing. Send ${expected}.`
          : `Send the body as ${expected}.`,
    });
  }
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) {
    throw new ServiceError('unsupported_media_type', { detail: 'Encode the body in UTF-8.' });
  }
  return media;
}

/**
 * Parses a body into a plain object, according to its Content-Type.
 *
 * @param accepted the media types that the operation accepts
 * @throws ServiceError 415 for any other type or none, 400 for a body that does not match its type
 */
export function parseBody(
  body: Buffer,
  contentType: string | undefined,
  accepted: readonly BodyMedia[],
): Record<string, unknown> {
  const media = mediaOf(contentType, accepted, mediaTypes);
  return media === 'json' ? parseJson(body, 'body') : parseMultipart(body, contentType ?? '');
}

/**
 * Parses a JSON object in UTF-8.
 *
 * @param what a name for the bytes, for the messages
 * @throws ServiceError malformed_body, invalid_request
 */
export function parseJson(body: Buffer, what: 'body' | 'line'): Record<string, unknown> {
  let text: string;
  let value: unknown;
  let isTooDeep: boolean;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    isTooDeep = isNestedDeeperThan(maximumLevels, text);
    value = isTooDeep ? undefined : JSON.parse(text);
  } catch (error) {
    throw new ServiceError('malformed_body', {
      detail:
        body.length === 0
          ? `The ${what} is empty. Send a JSON object.`
          : `The ${what} is not valid JSON in UTF-8.${what === 'line' ? ' Send one object per line.' : ''}`,
      cause: error,
    });
  }
  if (isTooDeep) {
    throw new ServiceError('malformed_body', {
      detail: `The ${what} has more than ${maximumLevels} levels of nesting.`,
    });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ServiceError('malformed_body', {
      detail: `The ${what} is valid JSON, but not an object. Send a JSON object.`,
    });
  }
  const duplicates = duplicateMembers(text);
  if (duplicates.length > 0) {
    throw new ServiceError('invalid_request', {
      detail: `The ${what} contains duplicate members.`,
      errors: duplicates.map((pointer) => ({ pointer, code: 'duplicate', detail: 'Send this member once.' })),
    });
  }
  return value as Record<string, unknown>;
}

/** Parses in memory: a form has a few short text fields, and files are rejected. */
function parseMultipart(body: Buffer, contentType: string): Record<string, unknown> {
  const parts = readForm(body, contentType);
  if (!parts) {
    throw new ServiceError('malformed_body', {
      detail:
        'The body is not valid multipart/form-data in UTF-8, or does not use the boundary in Content-Type.',
    });
  }
  const fields = new Map<string, string>();
  const errors: InputError[] = [];
  for (const { name, isFile, value } of parts) {
    const pointer = jsonPointer([name]);
    if (isFile) {
      errors.push({
        pointer,
        code: 'file_not_allowed',
        detail: 'Files are not accepted. Send text fields only.',
      });
    } else if (fields.has(name)) {
      errors.push({ pointer, code: 'duplicate', detail: 'Send this field once.' });
    } else {
      fields.set(name, value);
    }
  }
  if (errors.length > 0) {
    throw new ServiceError('invalid_request', {
      detail: 'The form contains files or duplicate fields.',
      errors,
    });
  }
  return Object.fromEntries(fields);
}
