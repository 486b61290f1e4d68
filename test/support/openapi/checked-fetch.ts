import { responseViolations } from './validate-response';

/**
 * `fetch` for a service in another process.
 *
 * @throws Error when a response does not match the OpenAPI document
 */
export async function checkedFetch(url: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(url, init);
  const { pathname, search } = new URL(url);
  const violations = responseViolations(
    { method: init.method ?? 'GET', target: pathname + search },
    {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.clone().text(),
    },
  );
  if (violations.length > 0) throw new Error(violations.join('\n'));
  return response;
}
