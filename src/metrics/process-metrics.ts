import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';

/** What the process is asked about itself. */
export interface ProcessState {
  isShuttingDown: () => boolean;
  /** Whether revocations reach this process at present. */
  receivesRevocations: () => boolean;
}

/** Whether this process goes, and whether it hears. */
export function createStateMetrics(registry: Registry, state: ProcessState): void {
  const flag = (name: string, help: string, isSet: () => boolean): void => {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(isSet() ? 1 : 0);
      },
    });
  };
  flag('contribution_shutting_down', '1 while this process finishes what it has.', state.isShuttingDown);
  flag(
    'contribution_revocation_listener_fresh',
    '1 while revocations of key pairs are known to reach this process; 0: it reads each pair anew after 1 s.',
    state.receivesRevocations,
  );
}

/**
 * Event-loop delay, memory, processor time and garbage collection: prom-client's own. They watch
 * the whole process, so they begin with the listener that shows them, once.
 */
export function watchProcess(registry: Registry): void {
  collectDefaultMetrics({ register: registry });
}
