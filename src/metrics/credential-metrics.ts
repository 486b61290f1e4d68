import { Counter, type Registry } from 'prom-client';

import { createBatcher } from '../shared/batcher';

export interface CredentialMetrics {
  /** Counts a key pair that was found in memory, or asked of the database. */
  onLookUp: (isInMemory: boolean) => void;
}

/** Whether authentication costs a round trip. */
export function createCredentialMetrics(registry: Registry): CredentialMetrics {
  // Also whenever somebody reads the counts.
  const sources = createBatcher((source: 'memory' | 'database') => {
    lookUps.inc({ source });
  });
  const lookUps = new Counter({
    name: 'contribution_key_pair_lookups_total',
    help: 'Look-ups of key pairs by where the answer came from.',
    labelNames: ['source'],
    registers: [registry],
    collect: sources.flush,
  });
  for (const source of ['memory', 'database']) lookUps.inc({ source }, 0);
  return {
    onLookUp: (isInMemory) => {
      sources.add(isInMemory ? 'memory' : 'database');
    },
  };
}
