import { healthNotices } from '../../src/features/webhooks/endpoints/endpoint-notices';
import { nextHealth } from '../../src/features/webhooks/courier/retry-schedule';

/** Which events report the health of an endpoint. The API tests cover the usual course. */
test('a success that follows a failure after a new URL is reported as a recovery only', () => {
  const endpoint = {
    endpointId: '019aa1b2-8d4e-7f60-9a7b-8c9d0e1f2a3d',
    failingSince: new Date('2026-11-26T12:00:00Z'),
    failingForSeconds: 5,
    failureCount: 1,
    probeCount: 0,
    // It was reported as failing, and the URL was then changed.
    noticeCount: -1,
  };
  const { notices, noticeCount } = healthNotices(endpoint, nextHealth(endpoint, true, 0), true, null);
  expect(notices.map(({ type }) => type)).toEqual(['webhook_endpoint.recovered']);
  expect(noticeCount).toBe(0);
});
