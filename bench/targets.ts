/** A target of the service relative to a rival in the same run. */
export interface Target {
  operation: string;
  rival: string;
  /**
   * The figure to compare, as medians: requests per second, or CPU time of the Node process per
   * request.
   */
  what: 'throughput' | 'CPU time';
  /** A minimum for throughput, a maximum for CPU time. */
  bound: number;
}

export const targets: readonly Target[] = [
  { operation: 'main-user', rival: 'express', what: 'throughput', bound: 1.5 },
  { operation: 'main-user', rival: 'express-prototypes', what: 'throughput', bound: 0.9 },
  { operation: 'main-user', rival: 'express-usual', what: 'throughput', bound: 5 },
  { operation: 'main-user', rival: 'node-http', what: 'throughput', bound: 0.75 },
  { operation: 'main-user', rival: 'express', what: 'CPU time', bound: 0.45 },
  { operation: 'main-stranger', rival: 'express-fixed', what: 'throughput', bound: 1.5 },
  { operation: 'projects', rival: 'express-fixed', what: 'throughput', bound: 1.5 },
  { operation: 'create', rival: 'express', what: 'throughput', bound: 1.05 },
  { operation: 'complete', rival: 'express', what: 'throughput', bound: 1.05 },
];

/** @param ratio of the service to the rival */
export const isMet = ({ what, bound }: Target, ratio: number): boolean =>
  what === 'throughput' ? ratio >= bound : ratio <= bound;
