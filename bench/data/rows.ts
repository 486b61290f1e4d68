import { createHash } from 'node:crypto';

import { type Company, companiesOf } from './companies';
import { createDraw, type Draw } from './draw';
import { type Size, storiesOf, storyAt } from './size';
import { transactionIdOf } from './transaction-ids';

type Value = string | number | undefined;

/** Rows of one table, in the text format of PostgreSQL's COPY. */
export interface Rows {
  /** The table and its columns, for COPY. */
  into: string;
  lines: string[];
}

/** Rows from the first number to the second, which is excluded. */
type RowsBetween = (from: number, to: number) => Rows[];

/** A table that is generated in independent chunks. */
export interface Generated {
  users: RowsBetween;
  stories: RowsBetween;
  /** Supports with their transactions, events and story views. */
  supports: RowsBetween;
}

const start = Date.UTC(2026, 0, 1);
const ninetyDays = 90 * 24 * 3_600_000;

const time = (milliseconds: number): string => new Date(milliseconds).toISOString();

/** Generated values need no escaping. */
const line = (...values: Value[]): string => values.map((value) => value ?? '\\N').join('\t');

/** 344 characters: the length of an RSA-2048 ciphertext in base64. */
const userHash = (seed: number, user: number): string =>
  createHash('shake256', { outputLength: 258 }).update(`${seed} ${user}`).digest('base64url');

/** A user and a project that they support. */
interface Support {
  number: number;
  company: Company;
  /** Of the company. */
  place: number;
  userId: number;
  projectId: number;
}

function* supportsBetween(
  draw: Draw,
  companies: readonly Company[],
  { projects, mostSupports }: Size,
  from: number,
  to: number,
): Generator<Support> {
  for (const company of companies) {
    const { firstUser, users, firstSupport, supports } = company;
    // The first user of the first company supports the most projects. All others support about
    // equally many.
    const [keenUsers, keenSupports] = firstSupport === 0 ? [1, mostSupports] : [0, 0];
    const otherUsers = Math.max(1, users - keenUsers);
    const end = Math.min(to, firstSupport + supports);
    for (let number = Math.max(from, firstSupport); number < end; number += 1) {
      const place = number - firstSupport;
      const rest = place - keenSupports;
      const userId = firstUser + (rest < 0 ? 0 : keenUsers + (rest % otherUsers));
      const supportOfUser = rest < 0 ? place : Math.floor(rest / otherUsers);
      // A few projects are popular. 7919 is prime, so a user gets each project only once.
      const first = Math.floor(projects * (draw(userId, 1, 1_000_000) / 1_000_000) ** 3);
      const projectId = 1 + ((first + supportOfUser * 7_919) % projects);
      yield { number, company, place, userId, projectId };
    }
  }
}

/**
 * The two transactions of a support: the first in the first 90 days of 2026, the second in the next
 * 90.
 */
function transactionOf(draw: Draw, { number, place, company, userId, projectId }: Support, which: 0 | 1) {
  const own = 2 * number + which;
  const createdAt = Math.floor(start + (which + place / company.supports) * ninetyDays);
  return {
    own,
    id: transactionIdOf(company.tag, new Date(createdAt), place + which),
    company,
    userId,
    projectId,
    cents: 100 + draw(own, 4, 20_000),
    idempotencyKey: draw(number, 5, 4) === 0 ? `order-${own}` : undefined,
    createdAt,
    completedAt:
      which === 0 || draw(own, 3, 10) < 9 ? createdAt + (60 + draw(own, 2, 86_400)) * 1_000 : undefined,
    bankReference: number % 2 === 0 ? `FT-${number}` : undefined,
  };
}

type Transaction = ReturnType<typeof transactionOf>;

const transactionColumns =
  'environment_id, transaction_id, user_id, project_id, amount_cents, currency, status, idempotency_key, created_by_api_key, ' +
  'created_at, completed_at, completed_by_environment_id, completed_by_api_key, bank_reference';

function transactionLine(one: Transaction): string {
  const { id, company, userId, projectId, cents, idempotencyKey, createdAt, completedAt, bankReference } =
    one;
  const { environmentId, apiKey } = company;
  return line(
    ...[environmentId, id, userId, projectId, cents, 'USD', completedAt ? 'completed' : 'pending'],
    ...[idempotencyKey, apiKey, time(createdAt)],
    ...(completedAt ? [time(completedAt), environmentId, apiKey, bankReference] : Array<undefined>(4)),
  );
}

const eventColumns =
  'environment_id, event_id, transaction_id, type, actor_environment_id, actor_api_key, evidence, recorded_at';

function eventLines(draw: Draw, one: Transaction): string[] {
  const { own, id, company, projectId, cents, createdAt, completedAt, bankReference } = one;
  const { environmentId, apiKey } = company;
  const event = (type: string, at: number, salt: number, evidence: object): string => {
    const hex = (of: number, length: number): string =>
      draw(own, salt + of, 16 ** length)
        .toString(16)
        .padStart(length, '0');
    // Begins with the time, like a UUID of version 7.
    const eventId = `${at.toString(16).padStart(12, '0')}7${hex(0, 3)}8${hex(1, 8)}${hex(2, 7)}`;
    return line(environmentId, eventId, id, type, environmentId, apiKey, JSON.stringify(evidence), time(at));
  };
  const created = event('contribution.created', createdAt, 10, {
    project_id: projectId,
    amount_cents: cents,
  });
  if (completedAt === undefined) return [created];
  return [created, event('contribution.completed', completedAt, 20, { bank_reference: bankReference })];
}

/** Two views per support on average, with or without a gap between them. */
function viewedNumbers(draw: Draw, number: number, published: number): string {
  const viewed = 1 + draw(number, 6, 3) + (draw(number, 8, 9) === 0 ? 1 : 0);
  const step = 1 + draw(number, 7, 2);
  const last = Math.min(1 + (viewed - 1) * step, published);
  if (step === 1) return `{[1,${last + 1})}`;
  const ranges = Array.from({ length: Math.ceil(last / step) }, (_, place) => 1 + place * step);
  return `{${ranges.map((one) => `[${one},${one + 1})`).join(',')}}`;
}

/** Generates all rows for a size and a seed. */
export function rowsOf(size: Size, seed: number): Generated {
  const draw = createDraw(seed);
  const companies = companiesOf(size);

  return {
    users(from, to) {
      const lines: string[] = [];
      for (const { environmentId, firstUser, users } of companies) {
        const end = Math.min(to + 1, firstUser + users);
        for (let user = Math.max(from + 1, firstUser); user < end; user += 1) {
          const firstName = user % 3 === 0 ? `User ${user}` : undefined;
          lines.push(line(environmentId, user, userHash(seed, user), firstName, '2025-12-15Z'));
        }
      }
      return [{ into: 'users (environment_id, user_id, user_hash, first_name, created_at)', lines }];
    },

    stories(from, to) {
      const lines: string[] = [];
      for (let number = from; number < to; number += 1) {
        const { projectId, storyNumber } = storyAt(size, number);
        const id = number + 1;
        const publishedAt = time(Date.UTC(2025, 0, 1) + storyNumber * 3_600_000);
        lines.push(
          line(
            ...[id, projectId, storyNumber, `Story ${id}`, 'What happened since. '.repeat(20)],
            ...[`https://pictures.example/story/${id}`, publishedAt],
          ),
        );
      }
      const columns = 'story_id, project_id, story_number, title, body, image_url, published_at';
      return [{ into: `stories (${columns})`, lines }];
    },

    supports(from, to) {
      const transactions: string[] = [];
      const events: string[] = [];
      const supports: string[] = [];
      const views: string[] = [];
      for (const support of supportsBetween(draw, companies, size, from, to)) {
        const first = transactionOf(draw, support, 0);
        const second = transactionOf(draw, support, 1);
        for (const one of [first, second]) {
          transactions.push(transactionLine(one));
          events.push(...eventLines(draw, one));
        }
        const { number, company, userId, projectId } = support;
        const key = [company.environmentId, userId, projectId];
        const completed = [first, second].flatMap(({ completedAt }) => completedAt ?? []);
        supports.push(line(...key, time(Math.min(...completed)), time(Math.max(...completed))));
        const published = storiesOf(size, projectId);
        if (published > 0) views.push(line(...key, viewedNumbers(draw, number, published)));
      }
      return [
        { into: `transactions (${transactionColumns})`, lines: transactions },
        { into: `events (${eventColumns})`, lines: events },
        {
          into: 'supports (environment_id, user_id, project_id, first_supported_at, last_supported_at)',
          lines: supports,
        },
        { into: 'story_views (environment_id, user_id, project_id, viewed_story_numbers)', lines: views },
      ];
    },
  };
}
