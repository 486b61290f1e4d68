import pino from 'pino';

import { createLogSampling, type SamplingLimits } from '../../src/http/request/log-sampling';

type Line = Record<string, unknown>;

function start(limits?: SamplingLimits) {
  const lines: string[] = [];
  const logger = pino({ base: null }, { write: (line: string) => lines.push(line) });
  const sampling = createLogSampling(logger, limits);
  return {
    sampling,
    text: () => lines.join(''),
    summaries: () => lines.map((line) => JSON.parse(line) as Line),
    /** @returns the number of requests with a line of their own */
    send: (
      count: number,
      clientAddress = '203.0.113.9',
      errorCode = 'credentials_invalid',
      key?: string,
    ): number => {
      const request = { clientAddress, status: 401, errorCode, attemptedApiKey: key };
      return Array.from({ length: count }, () => sampling.admits(request)).filter(Boolean).length;
    },
  };
}

const small: SamplingLimits = {
  windowMs: 60_000,
  linesPerSource: 2,
  lines: 6,
  sources: 3,
  keysPerSummary: 2,
};
const key = (letter: string): string => `cpk_test_${letter.repeat(22)}`;

beforeEach(() => jest.useFakeTimers());
afterEach(() => {
  jest.useRealTimers();
});

test('few requests have a line each, and no summary', () => {
  const { send, sampling, summaries } = start();
  expect(send(20)).toBe(20);
  sampling.flush();
  expect(summaries()).toEqual([]);
});

test('the rest of a network and error code are summarized at the end of the window', () => {
  const { send, summaries } = start();
  const from = new Date().toISOString();
  expect(send(100)).toBe(20);
  expect(send(30, '203.0.113.9', 'credentials_malformed')).toBe(20);
  expect(send(30, '203.0.113.10')).toBe(20);
  expect(summaries()).toEqual([]);
  jest.advanceTimersByTime(60_000);
  expect(summaries()).toEqual([
    expect.objectContaining({ client_network: '203.0.113.9', error_code: 'credentials_invalid', count: 80 }),
    expect.objectContaining({
      client_network: '203.0.113.9',
      error_code: 'credentials_malformed',
      count: 10,
    }),
    expect.objectContaining({ client_network: '203.0.113.10', error_code: 'credentials_invalid', count: 10 }),
  ]);
  expect(summaries()[0]).toMatchObject({
    level: 30,
    msg: 'requests not logged individually',
    status: 401,
    since: from,
  });
});

test('the next window starts with the next request', () => {
  const { send, summaries } = start();
  send(50);
  jest.advanceTimersByTime(60_000);
  jest.advanceTimersByTime(600_000);
  expect(send(50)).toBe(20);
  jest.advanceTimersByTime(59_999);
  expect(summaries()).toHaveLength(1);
  jest.advanceTimersByTime(1);
  expect(summaries().map(({ count }) => count)).toEqual([30, 30]);
});

test('a summary names some of the keys, each once', () => {
  const { send, sampling, summaries } = start(small);
  send(3, undefined, undefined, key('a'));
  for (const letter of ['b', 'b', 'c', 'd']) send(1, undefined, undefined, key(letter));
  sampling.flush();
  expect(summaries()).toEqual([
    expect.objectContaining({ count: 5, attempted_api_keys: [key('a'), key('b')] }),
  ]);
});

test('the addresses of one IPv6 network are one source', () => {
  const { send, sampling, summaries } = start(small);
  expect(send(2, '2001:db8:0:1::1')).toBe(2);
  expect(send(2, '2001:db8:0:1:9::9')).toBe(0);
  expect(send(2, '2001:db8:0:2::1')).toBe(2);
  sampling.flush();
  expect(summaries()).toEqual([expect.objectContaining({ client_network: '2001:db8:0:1::/64', count: 2 })]);
});

test('sources beyond the limit share one summary per error code, and all share the lines of a window', () => {
  const { send, sampling, summaries } = start(small);
  for (let host = 1; host <= 5; host += 1) send(2, `203.0.113.${host}`);
  send(1, '203.0.113.6', 'path_not_found');
  sampling.flush();
  expect(summaries()).toEqual([
    expect.objectContaining({ error_code: 'credentials_invalid', count: 4 }),
    expect.objectContaining({ error_code: 'path_not_found', count: 1 }),
  ]);
  for (const summary of summaries()) expect(summary).not.toHaveProperty('client_network');
});

test('the requests of an environment are one source with its own lines, whatever their addresses', () => {
  const { sampling, send, summaries } = start(small);
  const sendOf = (environmentId: number, count: number, errorCode: string): number =>
    Array.from({ length: count }, (_, host) =>
      sampling.admits({
        clientAddress: `198.51.100.${host}`,
        environmentId,
        status: 429,
        errorCode,
        attemptedApiKey: undefined,
      }),
    ).filter(Boolean).length;
  for (let host = 1; host <= 5; host += 1) send(3, `203.0.113.${host}`);
  expect(sendOf(7, 5, 'rate_limited')).toBe(2);
  expect(sendOf(7, 3, 'path_not_found')).toBe(2);
  expect(sendOf(8, 2, 'rate_limited')).toBe(2);
  sampling.flush();
  const ofEnvironments = summaries().filter((line) => 'environment_id' in line);
  expect(ofEnvironments).toEqual([
    expect.objectContaining({ environment_id: 7, error_code: 'rate_limited', count: 3 }),
    expect.objectContaining({ environment_id: 7, error_code: 'path_not_found', count: 1 }),
  ]);
  for (const line of ofEnvironments) expect(line).not.toHaveProperty('client_network');
});

test('200,000 requests from as many addresses with as many keys write less than 1 MB', () => {
  const { sampling, text, send } = start();
  let lines = 0;
  for (let number = 0; number < 200_000; number += 1) {
    const address = `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`;
    lines += send(1, address, 'credentials_invalid', `cpk_test_${String(number).padStart(22, '0')}`);
  }
  sampling.flush();
  expect(lines).toBeLessThanOrEqual(2_000);
  const bytesOfLines = lines * 350;
  expect(Buffer.byteLength(text()) + bytesOfLines).toBeLessThan(1_000_000);
});
