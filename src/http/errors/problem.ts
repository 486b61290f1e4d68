import type { ErrorCode, ErrorSubject, InputError } from '../../shared/errors';
import type { CatalogEntry } from './catalog-entry';

/** Problem details (RFC 9457) with the members of this service. */
export interface Problem extends ErrorSubject {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: ErrorCode;
  request_id: string;
  retryable: boolean;
  errors?: readonly InputError[];
}

export const problemMediaType = 'application/problem+json';

/** `Retry-After` of a 503 whose error states none. */
export const retryAfterSeconds = 1;

/** A body of a few KB can have thousands of errors. `detail` states the total. */
export const maximumErrors = 50;

/** The documentation of an error code. */
export function problemType(publicBaseUrl: string, code: ErrorCode): string {
  return `${publicBaseUrl}/docs/errors#${code}`;
}

export interface AboutProblem {
  detail: string;
  requestId: string;
  errors?: readonly InputError[];
  subject?: ErrorSubject;
}

/** @param entry describes the code */
export function problem(
  publicBaseUrl: string,
  code: ErrorCode,
  { status, title, retryable }: CatalogEntry,
  about: AboutProblem,
): Problem {
  const { errors = [], detail } = about;
  const isCut = errors.length > maximumErrors;
  return {
    type: problemType(publicBaseUrl, code),
    title,
    status,
    detail: isCut
      ? `${detail} The response lists the first ${maximumErrors} of ${errors.length} errors.`
      : detail,
    code,
    request_id: about.requestId,
    retryable,
    ...about.subject,
    ...(errors.length > 0 ? { errors: isCut ? errors.slice(0, maximumErrors) : errors } : {}),
  };
}
