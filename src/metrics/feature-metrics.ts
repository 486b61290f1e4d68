import type { Counter, CounterConfiguration, Histogram, HistogramConfiguration } from 'prom-client';

/** How a feature adds metrics of its own, without loading Prometheus. */
export interface MetricsOfFeature {
  counter: (options: Omit<CounterConfiguration<string>, 'registers'>) => Counter;
  histogram: (options: Omit<HistogramConfiguration<string>, 'registers'>) => Histogram;
}
