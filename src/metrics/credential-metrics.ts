import { Counter, type Registry } from 'prom-client';

import { createBatcher } from '../shared/batcher';

/** Shows how often authentication needs a round trip to the database. */
export function createCredentialMetrics(registry: Registry) {
  // Flushed before each scrape.
  const sources = createBatcher((source: 'memory' | 'database') => {
    lookUps.inc({ source });
  });
  const lookUps = new Counter({
    name: 'contribution_key_pair_lookups_total',
    help: 'Lookups of key pairs by source.',
    labelNames: ['source'],
    registers: [registry],
    collect: sources.flush,
  });
  for (const source of ['memory', 'database']) lookUps.inc({ source }, 0);
  return {
    /** Counts a lookup of a key pair, in memory or in the database. */
    onLookUp: (isInMemory: boolean) => {
      sources.add(isInMemory ? 'memory' : 'database');
    },
  };
}
