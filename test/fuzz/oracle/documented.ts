import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';

import { errorCatalog } from '../../../src/http/error-catalog';
import type { ErrorCode } from '../../../src/shared/errors';
import type { OpenApiDocument, Operation } from '../operations';
import type { Answer } from './answers';

/** Holds answers against the published document. */
export interface Documented {
  /** What an answer has that the operation's entry in the document does not allow; empty when it is documented. */
  checkAnswer(operation: Operation, answer: Answer, isHead: boolean): string[];
  /** The same for an answer that belongs to no operation: it must be a problem document of one of these codes. */
  checkProblem(answer: Answer, isHead: boolean, codes?: readonly ErrorCode[]): string[];
}

const problemType = 'application/problem+json';
const escaped = (text: string): string => text.replace(/~/g, '~0').replace(/\//g, '~1');
const mediaTypeOf = (answer: Answer): string =>
  (answer.headers.get('content-type')?.[0] ?? '').replace(/;.*$/, '').trim();

function parse(body: Buffer): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as unknown };
  } catch {
    return undefined;
  }
}

/** The code of a problem document; undefined for anything else. */
export function codeOf(answer: Answer): string | undefined {
  if (mediaTypeOf(answer) !== problemType) return undefined;
  const { code } = (parse(answer.body)?.value ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
}

export function createDocumented(document: OpenApiDocument): Documented {
  const ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: true });
  addFormats(ajv);
  ajv.addSchema(document, 'openapi.json');
  const validators = new Map<string, ValidateFunction>();
  const validatorAt = (pointer: string): ValidateFunction => {
    const known = validators.get(pointer);
    if (known) return known;
    // The document may leave objects open, so that members can be added; an answer has none that is not in it.
    const compiled = ajv.compile({
      allOf: [{ $ref: `openapi.json#${pointer}` }],
      unevaluatedProperties: false,
    });
    validators.set(pointer, compiled);
    return compiled;
  };

  function checkBody(pointer: string, answer: Answer): string[] {
    const parsed = parse(answer.body);
    if (!parsed) return ['its body is not JSON in UTF-8'];
    const validate = validatorAt(pointer);
    return validate(parsed.value)
      ? []
      : [`its body is not as documented: ${ajv.errorsText(validate.errors)}`];
  }

  /** What all problem documents have in common, wherever they come from. */
  function checkSelf(answer: Answer): string[] {
    const { value } = parse(answer.body) ?? {};
    const { code, status, request_id: requestId } = (value ?? {}) as Record<string, unknown>;
    const flaws: string[] = [];
    if (status !== answer.status) flaws.push('status in the body is another one');
    if (errorCatalog[code as ErrorCode].status !== answer.status) flaws.push('the code has another status');
    if (requestId !== answer.headers.get('x-request-id')?.[0]) flaws.push('request_id is not X-Request-Id');
    if (answer.headers.get('cache-control')?.[0] !== 'no-store') flaws.push('an error may be cached');
    return flaws;
  }

  function checkHeaders(operation: Operation, answer: Answer): string[] {
    const described = Object.entries(operation.responses[answer.status]?.headers ?? {});
    const flaws = [...answer.headers.entries()]
      .filter(([name, values]) => values.length > 1 && name !== 'set-cookie' && name !== 'vary')
      .map(([name]) => `${name} is there twice`);
    if (answer.headers.get('x-content-type-options')?.[0] !== 'nosniff') flaws.push('nosniff is missing');
    if (!answer.headers.has('x-request-id')) flaws.push('X-Request-Id is missing');
    for (const [name, header] of described) {
      if (header.required === true && !answer.headers.has(name.toLowerCase()))
        flaws.push(`${name} is missing`);
    }
    return flaws;
  }

  function checkProblem(answer: Answer, isHead: boolean, codes?: readonly ErrorCode[]): string[] {
    if (mediaTypeOf(answer) !== problemType) return [`${answer.status} is no problem document`];
    if (isHead) return [];
    const flaws = checkBody('/components/schemas/Problem', answer);
    if (flaws.length > 0) return flaws;
    const code = codeOf(answer) as ErrorCode;
    if (codes && !codes.includes(code)) flaws.push(`${code} is not for this request`);
    return [...flaws, ...checkSelf(answer)];
  }

  return {
    checkProblem,
    checkAnswer(operation, answer, isHead) {
      const promised = operation.responses[answer.status];
      if (!promised) return [`${answer.status} is not documented for ${operation.operationId}`];
      const flaws = checkHeaders(operation, answer);
      const mediaType = mediaTypeOf(answer);
      const mediaTypes = Object.keys(promised.content ?? {});
      if (mediaTypes.length === 0) return answer.body.length === 0 ? flaws : [...flaws, 'it has a body'];
      if (!mediaTypes.includes(mediaType)) return [...flaws, `its Content-Type is "${mediaType}"`];
      if (isHead) return flaws;
      const pointer = `/paths/${escaped(operation.path)}/${operation.method.toLowerCase()}/responses/${answer.status}/content/${escaped(mediaType)}/schema`;
      flaws.push(...checkBody(pointer, answer));
      return mediaType === problemType && flaws.length === 0 ? checkSelf(answer) : flaws;
    },
  };
}
