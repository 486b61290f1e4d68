import type { z } from 'zod';

import { type InputError, invalidRequest } from '../../shared/errors';
import type { FoundPath, Operation } from '../operations';
import { parseBody } from './body';
import { readBodyBytes } from './body-bytes';
import { contradictionsOf } from './contradictions';
import { headersOf } from './header-values';
import type { RequestContext } from './request-context';
import { readUpload } from './upload';
import { type Place, validate } from './validation';

type Params = Readonly<Record<string, string>>;

/**
 * The parameters of a path, decoded.
 *
 * @throws URIError for an invalid percent-encoding
 */
export function paramsOf(found: FoundPath | undefined): Params {
  const params: Record<string, string> = {};
  for (const [place, name] of found?.path.parameters.entries() ?? [])
    params[name] = decodeURIComponent(found?.values[place] ?? '');
  return params;
}

/** Reads and validates all parts of a request, and reports all errors together. */
export async function parseInput(
  context: RequestContext,
  { contract, isBodyOptional }: Operation,
  sentParams: Params,
  bodyLimitBytes: number,
) {
  const { req } = context;
  const errors: InputError[] = [];
  const part = (place: Place, schema: z.ZodType, input: unknown): unknown => {
    const result = validate(place, schema, input);
    errors.push(...result.errors);
    return result.value;
  };
  const params = contract.params && part('path', contract.params, sentParams);
  const query = contract.query && part('query', contract.query, req.query);
  const headers = contract.headers && part('header', contract.headers, headersOf(req, contract.headers));
  let body: unknown;
  if (contract.body) {
    const bytes = await readBodyBytes(context, bodyLimitBytes);
    const isAbsent = bytes.length === 0 && isBodyOptional;
    const sent = isAbsent ? {} : parseBody(bytes, req.headers['content-type'], contract.body.accepts);
    if (context.principal?.environmentKind === 'test') context.body = sent;
    body = part('body', contract.body.schema, sent);
    if (contract.params) errors.push(...contradictionsOf(sentParams, sent));
  }
  const upload = contract.upload && (await readUpload(context, contract.upload));
  if (errors.length > 0) throw invalidRequest(errors);
  return { params, query, headers, body, upload };
}
