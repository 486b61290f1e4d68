import { createHash } from 'node:crypto';

/**
 * A demo user. Projects are indexes in the editorial order, from 0. Contributions are created in
 * this order, so the last completed one is the most recently supported project.
 */
export interface DemoUser {
  state: string;
  userHash: string;
  name: string;
  contributions: readonly { project: number; amountCents: bigint; isCompleted: boolean }[];
  /** Projects with all stories viewed by the user. */
  viewed: readonly number[];
}

// Resembles a partner's hash: the base64 of a deterministic encryption.
const hashOf = (address: string): string => createHash('sha256').update(address).digest('base64');

const completed = (project: number, amountCents: bigint) => ({ project, amountCents, isCompleted: true });
const pending = (project: number, amountCents: bigint) => ({ project, amountCents, isCompleted: false });

export const demoUsers: readonly DemoUser[] = [
  {
    state: 'supports one project and has not seen its stories',
    userHash: hashOf('amelia@example.org'),
    name: 'Amelia',
    contributions: [completed(0, 25_00n)],
    viewed: [],
  },
  {
    state: 'supports one project and has seen all its stories',
    userHash: hashOf('bruno@example.org'),
    name: 'Bruno',
    contributions: [completed(1, 10_00n)],
    viewed: [1],
  },
  {
    state: 'supports three projects, one of them twice',
    userHash: hashOf('chidera@example.org'),
    name: 'Chidera',
    contributions: [completed(2, 50_00n), completed(0, 15_50n), completed(5, 100_00n), completed(2, 20_00n)],
    viewed: [0],
  },
  {
    state: 'has a pending contribution and supports nothing yet',
    userHash: hashOf('dagny@example.org'),
    name: 'Dagny',
    contributions: [pending(3, 40_00n)],
    viewed: [3],
  },
];

/** The idempotency key of a demo contribution: seeding twice creates it once. */
export function demoContributionKey(user: DemoUser, index: number): string {
  return `demo-${user.name.toLowerCase()}-${index + 1}`;
}

/** The key of the last contribution. If it exists, the demo is complete. */
export const lastDemoContribution = demoUsers
  .flatMap((user) => user.contributions.map((_contribution, index) => demoContributionKey(user, index)))
  .at(-1);
