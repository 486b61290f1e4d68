import type { Operation, RequestSpec, RequestWorld } from '../operations';

/** How many requests of an operation are compared. */
const compared = 50;

async function send(
  url: string,
  { path, ...request }: RequestSpec,
): Promise<{ status: number; body: string }> {
  const answer = await fetch(url + path, { ...request, headers: { ...request.headers } });
  return { status: answer.status, body: await answer.text() };
}

/** What differs from one contribution to the next. */
const withoutIds = (body: string): string =>
  body.replace(/"transaction_id":"\w{15}"/, '"transaction_id":"…"');

/**
 * Asks the service and a rival the same, and compares status and body byte for byte. A faster
 * program that answers something else is no rival.
 *
 * @throws Error with the first two answers that differ
 */
export async function checkSameBytes(
  world: RequestWorld,
  operation: Operation,
  serviceUrl: string,
  other: { name: string; url: string },
): Promise<void> {
  // What can be done once only is asked with requests of their own.
  const ours = await operation.requests(world, compared);
  const theirs = operation.once ? await operation.requests(world, compared) : ours;
  for (const [place, request] of ours.slice(0, compared).entries()) {
    const expected = await send(serviceUrl, request);
    const found = await send(other.url, theirs[place] ?? request);
    if (expected.status >= 300) throw new Error(`the service answers ${expected.status}: ${expected.body}`);
    if (expected.status !== found.status || withoutIds(expected.body) !== withoutIds(found.body)) {
      throw new Error(
        `${other.name} answers something else to ${operation.name}:\n${expected.status} ${expected.body}\n${found.status} ${found.body}`,
      );
    }
  }
}
