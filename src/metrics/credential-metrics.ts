import { Counter, type Registry } from 'prom-client';

/** Shows how often authentication needs a round trip to the database. */
export function createCredentialMetrics(registry: Registry) {
  const counts = { memory: 0, database: 0 };
  const lookUps = new Counter({
    name: 'contribution_key_pair_lookups_total',
    help: 'Lookups of key pairs by source.',
    labelNames: ['source'],
    registers: [registry],
    collect() {
      for (const source of ['memory', 'database'] as const) {
        this.inc({ source }, counts[source]);
        counts[source] = 0;
      }
    },
  });
  for (const source of ['memory', 'database']) lookUps.inc({ source }, 0);
  return {
    /** Counts a lookup of a key pair, in memory or in the database. */
    onLookUp: (isInMemory: boolean) => {
      counts[isInMemory ? 'memory' : 'database'] += 1;
    },
  };
}
