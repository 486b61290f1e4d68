import { startMetricsServer } from '../../src/metrics/metrics-server';
import type { TestService } from './service';

/** One sample in the Prometheus text format. */
export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

export interface Scrape {
  text: string;
  samples: Sample[];
  /** The value of the only sample with this name and at least these labels; 0 if there is none. */
  value: (name: string, labels?: Record<string, string>) => number;
}

const sampleLine = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const labelPair = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"(?:,|$)/y;

function parseLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  labelPair.lastIndex = 0;
  while (labelPair.lastIndex < text.length) {
    const [, name, value] = labelPair.exec(text) ?? [];
    if (name === undefined || value === undefined) throw new Error(`no labels: ${text}`);
    labels[name] = value.replace(/\\(.)/g, (_all, escaped: string) => (escaped === 'n' ? '\n' : escaped));
  }
  return labels;
}

/**
 * Parses the Prometheus text format.
 *
 * @throws Error on an invalid line
 */
function parseMetrics(text: string): Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name, labels, value] = sampleLine.exec(line) ?? [];
      if (name === undefined || value === undefined) throw new Error(`no sample: ${line}`);
      return { name, labels: parseLabels(labels ?? ''), value: Number(value.replace('Inf', 'Infinity')) };
    });
}

export async function scrape(port: number): Promise<Scrape> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  if (response.status !== 200) throw new Error(`/metrics responded with ${response.status}`);
  const text = await response.text();
  const samples = parseMetrics(text);
  return {
    text,
    samples,
    value(name, labels = {}) {
      const matching = samples.filter(
        (sample) =>
          sample.name === name &&
          Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
      );
      if (matching.length > 1) throw new Error(`${matching.length} samples of ${name}`);
      return matching[0]?.value ?? 0;
    },
  };
}

/** A metrics listener like the program's, for a service that a test started. */
export function serveMetricsOf(service: TestService) {
  return startMetricsServer(service.container.metrics.registry, { host: '127.0.0.1', port: 0 });
}
