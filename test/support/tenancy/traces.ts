import type { Response } from 'supertest';

import { spellings } from '../leaks';
import type { Sight } from './callers';
import type { Deed } from './rules';
import type { World } from './worlds';

/** An answer as it went over the wire, headers too. */
function textOf(response: Response): string {
  return `${JSON.stringify(response.headers)}\n${response.text}`;
}

/**
 * What only the company itself may find: who the user is, what it named the contribution, what the
 * user has done.
 */
function personalTraces(world: World): string[] {
  return [world.userHash, world.name, world.idempotencyKey, '"is_supported":true', '"is_viewed":true'];
}

/** The words that stand in an answer, in whatever spelling: a cursor, say, is base64. */
function traces(response: Response, words: string[]): string[] {
  const text = textOf(response).toLowerCase();
  return words.filter((word) => [...spellings(word).keys()].some((spelling) => text.includes(spelling)));
}

/** What stands in an answer of a world that this caller must not see. */
export function forbiddenTraces(
  response: Response,
  world: World,
  sight: Sight,
  isPersonalQuestion: boolean,
): string[] {
  if (sight === 'all') return [];
  // A bank that finds a transaction by its user learns who the user is.
  const mayKnowIds = sight === 'what a bank may know' && !isPersonalQuestion;
  const ofTransactions = [...world.transactionIds, world.bankReference];
  return traces(response, [...personalTraces(world), ...(mayKnowIds ? [] : ofTransactions)]);
}

/**
 * What the owner finds, and a bank: without it, nobody else's finding nothing would prove nothing.
 */
export function expectedTraces(
  world: World,
  sight: Sight,
  deed: Deed,
  operationId: string,
  transactionId: string,
): string[] {
  const { transactionIds, bankReference, userHash, name, idempotencyKey } = world;
  if (sight === 'nothing') return [];
  if (sight === 'what a bank may know') {
    if (deed === 'lists') return [...transactionIds, bankReference, world.company.name];
    return deed === 'reads one' ? [transactionId, world.company.name] : [];
  }
  switch (deed) {
    case 'lists':
      return [...transactionIds, bankReference, userHash, name, idempotencyKey];
    case 'reads one':
      return [transactionId, userHash, name, idempotencyKey];
    case 'repeats a create':
      return transactionIds.slice(0, 1);
    case 'reads the catalogue':
      return [operationId === 'listStories' ? '"is_viewed":true' : '"is_supported":true'];
    default:
      return [];
  }
}

/** The expected ones that no answer has. */
export function missingTraces(responses: Response[], expected: string[]): string[] {
  const text = responses.map(textOf).join('\n');
  return expected.filter((word) => !text.includes(word));
}
