import type { Response } from 'supertest';

import { encodings } from '../leaks';
import type { Visibility } from './callers';
import type { Action } from './rules';
import type { World } from './worlds';

/** A response as it was sent, with its headers. */
function textOf(response: Response): string {
  return `${JSON.stringify(response.headers)}\n${response.text}`;
}

/**
 * Data that only the company itself may see: the user, the contribution's name and the user's
 * activity.
 */
function personalTraces(world: World): string[] {
  return [
    world.userHash,
    world.name,
    world.idempotencyKey,
    world.endpointHost,
    '"is_supported":true',
    '"is_viewed":true',
  ];
}

/** Every spelling of the words so far: a cursor, for example, is base64. */
const spellings = new Map<string, string[]>();

function spellingsOf(word: string): string[] {
  const found = spellings.get(word) ?? [...encodings(word).keys()];
  spellings.set(word, found);
  return found;
}

/** The values in a response, in any spelling. */
function traces(response: Response, words: string[]): string[] {
  const text = textOf(response).toLowerCase();
  return words.filter((word) => spellingsOf(word).some((spelling) => text.includes(spelling)));
}

const readsEvents = (action: Action): boolean => action === 'lists events' || action === 'reads an event';

/** Values of a world in a response that this caller must not see. */
export function forbiddenTraces(
  response: Response,
  world: World,
  visibility: Visibility,
  action: Action,
  isPersonalQuestion: boolean,
): string[] {
  if (visibility === 'all') return [];
  // A bank that finds a transaction by its user learns the user.
  const mayKnowIds =
    (visibility === 'bank' || (visibility === 'feed' && readsEvents(action))) && !isPersonalQuestion;
  const ofTransactions = [...world.transactionIds, world.bankReference];
  return traces(response, [...personalTraces(world), ...(mayKnowIds ? [] : ofTransactions)]);
}

/**
 * What the owner and a bank must find. Otherwise empty results of other callers would prove
 * nothing.
 */
export function expectedTraces(
  world: World,
  visibility: Visibility,
  action: Action,
  operationId: string,
  transactionId: string,
): string[] {
  const { transactionIds, bankReference, userHash, name, idempotencyKey } = world;
  // Nothing was attempted, so the log is empty.
  if (visibility === 'nothing' || operationId === 'listEventAttempts') return [];
  if (visibility === 'feed' && !readsEvents(action)) return [];
  if (visibility !== 'all') {
    if (action === 'lists') return [...transactionIds, bankReference, world.company.name];
    if (action === 'lists events') return transactionIds;
    if (action === 'adds up') return [world.company.name, `"project_id":${world.projectId}`];
    if (action === 'reads its money') return [transactionId];
    if (action === 'reads an event') return transactionIds.slice(0, 1);
    return action === 'reads one' ? [transactionId, world.company.name] : [];
  }
  switch (action) {
    case 'lists':
      return [...transactionIds, bankReference, userHash, name, idempotencyKey];
    case 'adds up':
      return [world.company.name, `"project_id":${world.projectId}`];
    case 'asks who it is':
      return [world.company.name];
    case 'lists events':
      return [...transactionIds, bankReference, idempotencyKey];
    case 'reads its money':
      return [transactionId];
    case 'reads a statement':
      return operationId === 'getStatement' ? [world.fileId] : [];
    case 'reads an event':
      return [...transactionIds.slice(0, 1), idempotencyKey];
    case 'lists endpoints':
    case 'uses an endpoint':
      return [...world.endpointIds.slice(0, 1), world.endpointHost];
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

/** The expected values that are in no response. */
export function missingTraces(responses: Response[], expected: string[]): string[] {
  const text = responses.map(textOf).join('\n');
  return expected.filter((word) => !text.includes(word));
}
