import { Pool } from 'pg';

/** What a rival is told by whoever starts it, in BENCH_RIVAL as JSON. */
export interface RivalSettings {
  port: number;
  databaseUrl: string;
  poolSize: number;
  environmentId: number;
  tag: string;
  apiKey: string;
  /** What the fixed answers are, by path; only for the handler that has no database. */
  fixedBodies: Readonly<Record<string, string>>;
}

export const settings = JSON.parse(process.env['BENCH_RIVAL'] ?? '{}') as RivalSettings;

export const createPool = (): Pool =>
  new Pool({ connectionString: settings.databaseUrl, max: settings.poolSize });
