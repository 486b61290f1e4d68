import { answerViolations } from './validate-answer';

/**
 * fetch for a service in another process. Throws when an answer is not as the OpenAPI document
 * says.
 */
export async function checkedFetch(url: string, init: RequestInit = {}): Promise<Response> {
  const answer = await fetch(url, init);
  const { pathname, search } = new URL(url);
  const violations = answerViolations(
    { method: init.method ?? 'GET', target: pathname + search },
    {
      status: answer.status,
      headers: Object.fromEntries(answer.headers),
      body: await answer.clone().text(),
    },
  );
  if (violations.length > 0) throw new Error(violations.join('\n'));
  return answer;
}
