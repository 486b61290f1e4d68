import type { Registry } from 'prom-client';

import { createDeliveryProcess } from '../../../src/container/delivery-process';
import { isCitus } from '../../support/citus/databases';
import { startService, type TestService } from '../../support/service';

/** The metrics of a process that only delivers events. */
let service: TestService;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const countersOf = async (registry: Registry): Promise<string[]> =>
  (await registry.getMetricsAsJSON())
    .filter(({ type }) => String(type) !== 'gauge')
    .map(({ name }) => name)
    .sort();

test('its counters are those of the service, so that sums over processes need no exception', async () => {
  const delivery = createDeliveryProcess(
    service.config,
    { databaseUrl: service.database.url, isOneServer: !isCitus },
    service.logger,
  );
  try {
    const ofService = await countersOf(service.container.metrics.registry);
    expect(ofService).toContain('contribution_returns_total');
    // Only the service reads gauges from the database.
    expect(await countersOf(delivery.metrics.registry)).toEqual(
      ofService.filter((name) => name !== 'contribution_reading_failures_total'),
    );
  } finally {
    await delivery.stop();
  }
});
