import type { Client } from 'pg';

import type { TestDatabase } from './database';

export interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  Plans?: PlanNode[];
  [property: string]: unknown;
}

/** A statement that ran inside a function, with the plan that it ran with. */
export interface NestedPlan {
  text: string;
  plan: PlanNode;
}

/** Makes later connections report the plan of each statement that they run, as a warning. */
export async function reportPlans({ admin }: TestDatabase): Promise<void> {
  const settings = [
    `session_preload_libraries = 'auto_explain'`,
    `"auto_explain.log_min_duration" = 0`,
    `"auto_explain.log_nested_statements" = on`,
    `"auto_explain.log_format" = 'json'`,
    // create and complete ask for warnings only.
    `"auto_explain.log_level" = 'warning'`,
  ];
  for (const setting of settings) {
    await admin.query(`DO $$ BEGIN
      EXECUTE format('ALTER DATABASE %I SET ', current_database()) || ${literal(setting)};
    END $$`);
  }
}

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/**
 * Collects the plans of the statements inside functions, without those of foreign keys.
 *
 * @returns a function that returns the plans since its last call
 */
export function collectNestedPlans(client: Client): () => NestedPlan[] {
  let plans: NestedPlan[] = [];
  client.on('notice', ({ message }) => {
    const [, json] = /plan:\s*(\{[^]*\})\s*$/.exec(message ?? '') ?? [];
    if (json === undefined) return;
    const { 'Query Text': text, Plan: plan } = JSON.parse(json) as { 'Query Text': string; Plan: PlanNode };
    const isOfForeignKey = text.startsWith('SELECT 1 FROM ONLY');
    if (!isOfForeignKey && /(^|[^\w$])_[a-z]/.test(text)) plans.push({ text, plan });
  });
  return () => {
    const collected = plans;
    plans = [];
    return collected;
  };
}
