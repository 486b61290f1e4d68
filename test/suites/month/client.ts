import type { KeyPair } from '../faults/clients/http';

const base = '/company/integration';

/** Sends requests of one key pair to the service, as behind a proxy that ends TLS. */
export function createMonthClient(baseUrl: string, { apiKey, apiSecret }: KeyPair) {
  async function send(
    method: string,
    path: string,
    body?: { type: string; text: string },
    headers: Record<string, string> = {},
  ): Promise<{ status: number; text: string }> {
    for (;;) {
      const response = await fetch(`${baseUrl}${base}${path}`, {
        method,
        headers: {
          'API-Key': apiKey,
          'API-Secret': apiSecret,
          'X-Forwarded-Proto': 'https',
          ...(body ? { 'Content-Type': body.type } : {}),
          ...headers,
        },
        ...(body ? { body: body.text } : {}),
      });
      const text = await response.text();
      if (response.ok) return { status: response.status, text };
      if (response.status !== 503 && response.status !== 429) {
        throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
  const json = (value: unknown): { type: string; text: string } => ({
    type: 'application/json',
    text: JSON.stringify(value),
  });
  return {
    async get<Body>(path: string): Promise<Body> {
      return JSON.parse((await send('GET', path)).text) as Body;
    },
    async put<Body>(path: string, value: unknown, headers = {}): Promise<Body> {
      return JSON.parse((await send('PUT', path, json(value), headers)).text) as Body;
    },
    async post<Body>(path: string, value: unknown): Promise<Body> {
      return JSON.parse((await send('POST', path, json(value))).text) as Body;
    },
    /** @returns the text of the response */
    postText: async (path: string, type: string, text: string): Promise<string> =>
      (await send('POST', path, { type, text })).text,
  };
}

export type MonthClient = ReturnType<typeof createMonthClient>;
