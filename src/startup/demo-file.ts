import path from 'node:path';

import type { KeyPair } from '../core/key-pairs/credentials';
import type { EnvironmentKind } from '../shared/scopes';
import { readFileIfThere, writePrivateFile } from './private-file';

export const demoRoles = ['sdk_host', 'partner_bank', 'stranger'] as const;

export type DemoRole = (typeof demoRoles)[number];

/** The roles as people read them. */
export const demoRoleNames: Readonly<Record<DemoRole, string>> = {
  sdk_host: 'SDK host with a partner bank',
  partner_bank: 'partner bank of the first company',
  stranger: 'SDK host with the simulated bank',
};

/** The content of demo.json: everything needed to try the service. */
export interface Demo {
  base_url: string;
  companies: {
    name: string;
    role: DemoRole;
    environments: Record<EnvironmentKind, { api_key: string; api_secret: string }>;
  }[];
  /** Users of the SDK host in different states. */
  users: { state: string; user_hash: string }[];
}

const demoFile = (dataDirectory: string): string => path.join(dataDirectory, 'demo.json');

export function readDemo(dataDirectory: string): Demo | undefined {
  const text = readFileIfThere(demoFile(dataDirectory));
  return text === undefined ? undefined : (JSON.parse(text) as Demo);
}

export function writeDemo(dataDirectory: string, demo: Demo): void {
  writePrivateFile(demoFile(dataDirectory), `${JSON.stringify(demo, null, 2)}\n`);
}

/** The key pair of one company for one environment. */
export function demoKeyPair(demo: Demo, role: DemoRole, kind: EnvironmentKind): KeyPair {
  const company = demo.companies.find((candidate) => candidate.role === role);
  if (!company) throw new Error(`demo.json has no company with the role ${role}`);
  const { api_key: apiKey, api_secret: apiSecret } = company.environments[kind];
  return { apiKey, apiSecret };
}
