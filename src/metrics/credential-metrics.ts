import { Counter, type Registry } from 'prom-client';

export interface CredentialMetrics {
  /** Counts a key pair that was found in memory, or asked of the database. */
  onLookUp: (isInMemory: boolean) => void;
}

/** Whether authentication costs a round trip. */
export function createCredentialMetrics(registry: Registry): CredentialMetrics {
  const lookUps = new Counter({
    name: 'contribution_key_pair_lookups_total',
    help: 'Look-ups of key pairs by where the answer came from.',
    labelNames: ['source'],
    registers: [registry],
  });
  for (const source of ['memory', 'database']) lookUps.inc({ source }, 0);
  return {
    onLookUp: (isInMemory) => {
      lookUps.inc({ source: isInMemory ? 'memory' : 'database' });
    },
  };
}
