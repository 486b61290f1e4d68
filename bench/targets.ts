/** What the service is held to, against a rival in the same run. */
export interface Target {
  operation: string;
  rival: string;
  /** Of the medians: requests a second, or processor time of the Node process for each request. */
  what: 'throughput' | 'processor time';
  /** At least for throughput, at most for processor time. */
  bound: number;
}

export const targets: readonly Target[] = [
  { operation: 'main-user', rival: 'express', what: 'throughput', bound: 1.5 },
  { operation: 'main-user', rival: 'express-prototypes', what: 'throughput', bound: 0.9 },
  { operation: 'main-user', rival: 'express-usual', what: 'throughput', bound: 5 },
  { operation: 'main-user', rival: 'node-http', what: 'throughput', bound: 0.75 },
  { operation: 'main-user', rival: 'express', what: 'processor time', bound: 0.45 },
  { operation: 'main-stranger', rival: 'express-fixed', what: 'throughput', bound: 1.5 },
  { operation: 'projects', rival: 'express-fixed', what: 'throughput', bound: 1.5 },
  { operation: 'create', rival: 'express', what: 'throughput', bound: 1.05 },
  { operation: 'complete', rival: 'express', what: 'throughput', bound: 1.05 },
];

/** @param ratio of the service to the rival */
export const isMet = ({ what, bound }: Target, ratio: number): boolean =>
  what === 'throughput' ? ratio >= bound : ratio <= bound;
