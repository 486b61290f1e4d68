import { Pool } from 'pg';

/** Settings that the benchmark passes to a rival in BENCH_RIVAL, as JSON. */
export interface RivalSettings {
  port: number;
  databaseUrl: string;
  poolSize: number;
  environmentId: number;
  tag: string;
  apiKey: string;
  /** Fixed response bodies by path; only for the handler without a database. */
  fixedBodies: Readonly<Record<string, string>>;
}

export const settings = JSON.parse(process.env['BENCH_RIVAL'] ?? '{}') as RivalSettings;

export const createPool = (): Pool =>
  new Pool({ connectionString: settings.databaseUrl, max: settings.poolSize });
