import type { FuzzCase, Transcript, WholeRequest } from '../cases/case';
import { createRoutes, listOperations, type OpenApiDocument, pathOf } from '../operations';
import { type ReceivedResponse, readResponses } from './responses';
import { codeOf, createDocumented } from './documented';

/** The findings about one case. */
export interface Verdict {
  readonly responses: readonly ReceivedResponse[];
  /** Error codes, and the statuses of other responses, for the report. */
  readonly outcomes: readonly string[];
  /** What the service did wrong; empty if nothing. */
  readonly flaws: readonly string[];
}

/** Paths for people instead of partners; the documentation describes them. */
const pages =
  /^\/((health\/(live|ready)|docs(\/.*)?|documentation|openapi\.json|demo\/pictures\/.+|metrics)\/?)?$/;

/** No request may ever get these. */
const faults: readonly string[] = ['internal_error', 'outcome_unknown'];

/** Codes of the parser for a request that it rejects. */
const parserCodes = ['malformed_http', 'headers_too_large', 'request_timeout'] as const;

const closesConnection = (response: ReceivedResponse): boolean =>
  response.headers.get('connection')?.some((value) => /\bclose\b/i.test(value)) ?? false;

/** A redirect from a guessed address such as /swagger. It is relative, so it stays on this host. */
const redirectsToDocumentation = (response: ReceivedResponse): boolean =>
  response.status === 302 &&
  /^(\.\.\/)*(docs(\/[a-z]+)?|openapi\.json)$/.test(response.headers.get('location')?.[0] ?? '');

/** Also of bytes that no parser reads as a whole request. */
const startsWithHead = (bytes: Buffer): boolean => bytes.toString('latin1', 0, 5) === 'HEAD ';

/** Judges the responses to a case. */
export function createJudge(document: OpenApiDocument) {
  const documented = createDocumented(document);
  const all = listOperations(document);
  const routeOf = createRoutes(all);

  function checkOne(request: WholeRequest, response: ReceivedResponse): string[] {
    // CONNECT has no path: its target is invalid and never reaches the application.
    if (request.method === 'CONNECT') {
      return documented.checkProblem(response, false, [...parserCodes, 'path_not_found']);
    }
    const isHead = request.method === 'HEAD';
    const operations = routeOf(request.target);
    const operation = operations?.get(isHead ? 'GET' : request.method);
    if (operation) return documented.checkResponse(operation, response, isHead);
    if (redirectsToDocumentation(response)) return [];
    if (response.status < 400) {
      return pages.test(pathOf(request.target)) ? [] : [`${response.status} where there is no operation`];
    }
    // A browser gets a page; the tests of the documentation check which clients do.
    const isPage = response.headers.get('content-type')?.[0]?.startsWith('text/html') === true;
    if (response.status === 404 && !operations && isPage) {
      return isHead || response.body.includes('<h1>Page not found</h1>') ? [] : ['404 with another page'];
    }
    return documented.checkProblem(response, isHead, [
      ...parserCodes,
      ...(operations
        ? (['method_not_allowed'] as const)
        : (['path_not_found', 'method_not_allowed'] as const)),
      'https_required',
      'database_unavailable',
      'shutting_down',
    ]);
  }

  /** A response to an unknown request: documented for any operation, or a problem document. */
  function checkAny(
    response: ReceivedResponse,
    opening: WholeRequest | undefined,
    isHead: boolean,
  ): string[] {
    const flaws = opening ? checkOne(opening, response) : [];
    if (opening && flaws.length === 0) return [];
    if (response.status >= 400) return documented.checkProblem(response, isHead);
    const candidates = all.filter(({ responses }) => responses[response.status]);
    const isKnown = candidates.some((one) => documented.checkResponse(one, response, isHead).length === 0);
    return isKnown || response.status === 200
      ? []
      : [`${response.status} is not a response of any operation`];
  }

  function checkWhole(
    fuzzCase: FuzzCase,
    responses: readonly ReceivedResponse[],
    transcript: Transcript,
  ): string[] {
    const flaws: string[] = [];
    const { requests } = fuzzCase;
    for (const [number, request] of requests.entries()) {
      const response = responses[number];
      if (!response) {
        const last = responses.at(-1);
        const mayBeMissing = (last !== undefined && closesConnection(last)) || transcript.wasReset;
        if (!mayBeMissing) flaws.push(`request ${number + 1} of ${requests.length} has no response`);
        return flaws;
      }
      for (const flaw of checkOne(request, response)) flaws.push(`response ${number + 1}: ${flaw}`);
      const code = codeOf(response) ?? '';
      // With too many headers, the request id may not have been read. A response to HEAD has no
      // code.
      const isOfParser =
        (parserCodes as readonly string[]).includes(code) ||
        response.status === 431 ||
        request.method === 'CONNECT';
      const id = response.headers.get('x-request-id')?.[0];
      // The parser may reject only single requests; pipelined whole requests all get their own
      // response.
      if (
        request.requestId !== undefined &&
        id !== request.requestId &&
        !(isOfParser && requests.length === 1)
      ) {
        flaws.push(`response ${number + 1} has the id ${id ?? 'none'} instead of ${request.requestId}`);
      }
    }
    return flaws;
  }

  function checkRest(
    fuzzCase: FuzzCase,
    responses: readonly ReceivedResponse[],
    transcript: Transcript,
  ): string[] {
    const { requests, rest } = fuzzCase;
    const others = responses.slice(requests.length);
    const flaws: string[] = [];
    if (rest === 'nothing' && others.length > 0) flaws.push(`${others.length} additional responses`);
    const opening = requests.length === 0 ? openingOf(fuzzCase.bytes) : undefined;
    for (const [number, response] of others.entries()) {
      flaws.push(
        ...checkAny(
          response,
          number === 0 ? opening : undefined,
          number === 0 && startsWithHead(fuzzCase.bytes),
        ),
      );
    }
    if (rest === 'refusal') {
      const [only] = others;
      if (others.length > 1) flaws.push('a request with ambiguous framing has several responses');
      if (only && codeOf(only) !== 'malformed_http')
        flaws.push('a request with ambiguous framing is not rejected');
      if (!only && !transcript.wasReset) flaws.push('a request with ambiguous framing has no response');
      if (!transcript.closedByService)
        flaws.push('the connection stays open after a request with ambiguous framing');
    }
    return flaws;
  }

  return (fuzzCase: FuzzCase, transcript: Transcript): Verdict => {
    const { requests, bytes } = fuzzCase;
    const read = readResponses(transcript.bytes, (number) =>
      requests[number] ? requests[number].method === 'HEAD' : number === 0 && startsWithHead(bytes),
    );
    const { responses } = read;
    const flaws: string[] = [];
    if (read.flaw !== undefined && !(read.isPartial && transcript.wasReset))
      flaws.push(`the service sent ${read.flaw}`);
    if (transcript.timedOut) flaws.push('no response in time');
    flaws.push(...checkWhole(fuzzCase, responses, transcript), ...checkRest(fuzzCase, responses, transcript));
    const outcomes = responses.map((response) => codeOf(response) ?? String(response.status));
    for (const outcome of outcomes) if (faults.includes(outcome)) flaws.push(`its response was ${outcome}`);
    for (const response of responses) {
      if (
        fuzzCase.smuggledId !== undefined &&
        response.headers.get('x-request-id')?.[0] === fuzzCase.smuggledId
      ) {
        flaws.push('a smuggled request got a response');
      }
    }
    const isRefusedByParser = (response: ReceivedResponse): boolean =>
      codeOf(response) === 'malformed_http' && closesConnection(response);
    const refusedAt = responses.findIndex(isRefusedByParser);
    if (refusedAt >= 0 && refusedAt < responses.length - 1)
      flaws.push('there is a response after a rejection by the parser');
    return { responses, outcomes, flaws };
  };
}

export type Judge = ReturnType<typeof createJudge>;

/** The operation that arbitrary bytes seem to request. */
function openingOf(bytes: Buffer): WholeRequest | undefined {
  const line = /^(?:\r?\n)*([A-Z]+) ([^ \r\n]+) HTTP\/1\.[01]\r?\n/.exec(bytes.toString('latin1', 0, 20_000));
  return line?.[1] !== undefined && line[2] !== undefined
    ? { method: line[1], target: line[2], requestId: undefined }
    : undefined;
}
