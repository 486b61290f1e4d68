import { collectDefaultMetrics, Counter, Gauge, type Registry } from 'prom-client';

export interface ProcessState {
  isShuttingDown: () => boolean;
  /** Whether revocations currently reach this process. */
  receivesRevocations: () => boolean;
}

/** Whether this process is shutting down, and whether it receives revocations. */
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
  flag('contribution_shutting_down', '1 while this process shuts down.', state.isShuttingDown);
  flag(
    'contribution_revocation_listener_fresh',
    '1 while this process receives revocations of key pairs. At 0, it reads each cached pair again after 1 s.',
    state.receivesRevocations,
  );
}

/**
 * Adds prom-client's metrics (event-loop delay, memory, CPU time and garbage collection) and the
 * count of uncaught exceptions. They measure the whole process, so call this once, when the metrics
 * are served.
 */
export function watchProcess(registry: Registry): void {
  collectDefaultMetrics({ register: registry });
  const uncaught = new Counter({
    name: 'contribution_uncaught_exceptions_total',
    help: 'Exceptions that no other code caught. Each is a defect. It ended at most one request.',
    registers: [registry],
  });
  process.on('uncaughtExceptionMonitor', () => {
    uncaught.inc();
  });
}
