import type { Operation, RequestSpec, RequestWorld } from '../operations';

/** Number of requests per operation to compare. */
const compared = 50;

async function send(
  url: string,
  { path, ...request }: RequestSpec,
): Promise<{ status: number; body: string }> {
  const response = await fetch(url + path, { ...request, headers: { ...request.headers } });
  return { status: response.status, body: await response.text() };
}

/** Replaces values that differ between contributions. */
const withoutIds = (body: string): string =>
  body.replace(/"transaction_id":"\w{15}"/, '"transaction_id":"…"');

/**
 * Sends the same requests to the service and a rival, and compares status and body byte by byte. A
 * program with other responses is no rival.
 *
 * @throws Error with the first two responses that differ
 */
export async function checkSameBytes(
  world: RequestWorld,
  operation: Operation,
  serviceUrl: string,
  other: { name: string; url: string },
): Promise<void> {
  // Requests that can be sent only once are different for each program.
  const ours = await operation.requests(world, compared);
  const theirs = operation.once ? await operation.requests(world, compared) : ours;
  for (const [place, request] of ours.slice(0, compared).entries()) {
    const expected = await send(serviceUrl, request);
    const found = await send(other.url, theirs[place] ?? request);
    if (expected.status >= 300)
      throw new Error(`the service responds with ${expected.status}: ${expected.body}`);
    if (expected.status !== found.status || withoutIds(expected.body) !== withoutIds(found.body)) {
      throw new Error(
        `${other.name} responds with something else to ${operation.name}:\n${expected.status} ${expected.body}\n${found.status} ${found.body}`,
      );
    }
  }
}
