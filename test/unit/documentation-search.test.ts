import MiniSearch from 'minisearch';
import { stemmer } from 'stemmer';

import { createSearch, type Entry } from '../../src/features/documentation/assets/search-engine';
import { searchIndexPath } from '../../src/features/documentation/search-index';
import { synonyms } from '../../src/features/documentation/search-words';
import { renderDocumentation } from '../support/rendered-documentation';

const responses = renderDocumentation();
const index = JSON.parse(responses.get(searchIndexPath)!.content.toString()) as {
  synonyms: Record<string, string[]>;
  entries: Entry[];
};
const search = createSearch(MiniSearch, stemmer, index);

const placeOf = ({ address }: Entry): string => address.replace(/^\.\.\/\.\.\/docs\/?/, '') || 'start';
/** The results in the order in which the reader sees them. An operation has only its anchor. */
const placesFor = (query: string): string[] =>
  search(query).flatMap(({ found }) =>
    found.map(({ entry }) =>
      placeOf(entry)
        .replace(/^#/, 'start#')
        .replace(/^reference.*#/, '#'),
    ),
  );

/** What partners ask, and the place that answers it. */
const answeredFirst: readonly (readonly [string, string])[] = [
  ['pagination', 'sdk#projects-and-paging'],
  ['how do I get the next page', 'sdk#projects-and-paging'],
  ['donation', 'sdk#creating-a-contribution'],
  ['authentication', 'credentials'],
  ['dashboard', 'start#what-the-service-does-not-have'],
  ['login', 'start#what-the-service-does-not-have'],
  ['OAuth', 'start#what-the-service-does-not-have'],
  ['currency', 'start#what-the-service-does-not-have'],
  ['mt940', 'start#what-the-service-does-not-have'],
  ['refund', 'bank#returns'],
  ['chargeback', 'bank#returns'],
  ['webhook signature', 'webhooks#the-receiver'],
  ['webhook retries', 'events#failures'],
  ['missed webhooks', 'events#replays'],
  ['test a webhook on localhost', 'webhooks#try-it'],
  ['go live', 'start#go-live'],
  ['rate limit', 'limits#rates'],
  ['webhook', 'webhooks'],
  ['status page', 'start#what-the-service-does-not-have'],
  ['timeouts', 'limits#the-numbers'],
  ['idempotency', 'sdk#retrying-safely'],
  ['lost response', 'sdk#recovering-a-lost-response'],
  ['amount_mismatch', 'errors#amount_mismatch'],
  ['error codes', 'errors#all-codes'],
  ['401', 'credentials#when-a-pair-is-rejected'],
  ['permissions', 'credentials#scopes'],
  ['rotate a secret', 'credentials#rotation'],
  ['leaked key', 'credentials#when-a-secret-has-leaked'],
  ['sandbox', 'sandbox'],
  ['test amounts', 'sandbox#magic-amounts'],
  ['reset test data', 'sandbox#reset'],
  ['postman', 'start#tools'],
  ['openapi', 'start#tools'],
  ['python', 'start#in-typescript-or-python'],
  ['glossary', 'start#terms'],
  ['user_hash', 'sdk#the-user'],
  ['breaking changes', 'sdk#versioning'],
  ['export to Excel', 'bank#lists-as-csv'],
  ['bulk completion', 'bank#many-completions-in-one-request'],
  ['undo a completion', 'bank#correcting-a-completion'],
  ['who can see my contributions', 'bank#links'],
  ['payment reference', 'bank#the-transaction_id'],
  ['totals per month', 'bank#totals'],
  ['camt.053', 'statements#uploading'],
  ['month end', 'month-end'],
  ['missing money', 'statements#missing-money'],
  ['main component', 'sdk#the-main-component'],
  ['whoami', 'credentials#who-am-i'],
  ['who am i', 'credentials#who-am-i'],
  ['me', 'credentials#who-am-i'],
  ['check my API key', 'credentials#who-am-i'],
  ['webhook delivered', 'webhooks#did-you-send-it'],
  ['was my webhook sent', 'webhooks#did-you-send-it'],
  ['out of order events', 'events#webhooks'],
  ['commonjs', 'typescript-sdk'],
  ['require', 'typescript-sdk'],
  ['require()', 'typescript-sdk'],
  ['npm install', 'typescript-sdk#install-it-in-a-project'],
  ['check digit', 'bank#the-transaction_id'],
  ['wrong amount', 'errors#amount_mismatch'],
  ['partial payment', 'statements#positions'],
  ['overpayment', 'statements#positions'],
  ['paid twice', 'statements#positions'],
  ['bank fees', 'statements#positions'],
  ['bookkeeping', 'month-end'],
  ['close the books', 'month-end'],
  ['onSettled', 'sdk-options#ContributionServiceOptions.onSettled'],
  ['maxAttempts', 'sdk-options#ContributionServiceOptions.maxAttempts'],
  ['FileIntentStore', 'sdk-options#FileIntentStore'],
  ['PostgresIntentStore', 'sdk-options#PostgresIntentStore'],
  ['RateLimited', 'sdk-errors#RateLimited'],
  ['OutcomeUnknown', 'sdk-errors#OutcomeUnknown'],
  ['client.recover', 'sdk-reference#ContributionService.recover'],
  ['recover()', 'sdk-reference#ContributionService.recover'],
  ['webhookHandler', 'sdk-webhooks#webhookHandler'],
  ['completeMany', 'sdk-resources#Bank.completeMany'],
];
/** Questions with more than one good answer: a guide, and an entry of the reference. */
const answeredWithinThree: readonly (readonly [string, string])[] = [
  ['429', 'errors#rate_limited'],
  ['accept_difference', 'statements#decisions'],
  ['Retry-After', 'errors#rate_limited'],
  ['create a contribution', '#createContribution'],
  ['complete a contribution', '#completeContribution'],
  ['delivery attempts', '#listWebhookAttempts'],
  ['accounting', 'what-arrived'],
  ['stories', 'sdk#stories'],
  ['did the money arrive', 'what-arrived'],
];

test('there are more than 40 questions, and few of them have several answers', () => {
  expect(answeredFirst.length).toBeGreaterThanOrEqual(40);
  expect(answeredWithinThree.length).toBeLessThan(10);
});

test.each(answeredFirst)('%s is answered first by %s', (query, place) => {
  expect(placesFor(query).slice(0, 5)).toEqual([place, ...placesFor(query).slice(1, 5)]);
});

test.each(answeredWithinThree)('%s is answered within three results by %s', (query, place) => {
  expect(placesFor(query).slice(0, 3)).toContain(place);
});

test.each([
  ['paginat', 'sdk#projects-and-paging'],
  ['idempot', 'sdk#retrying-safely'],
  ['webhook sig', 'webhooks#the-receiver'],
  ['idempotancy', 'sdk#retrying-safely'],
])('%s, which is incomplete or misspelt, leads to %s', (query, place) => {
  expect(placesFor(query)[0]).toBe(place);
});

test('a page is found by its title, an operation by its summary and an error by its code', () => {
  const titled = index.entries.filter(
    ({ page, title, address }) =>
      (page === title && !address.includes('#')) || /#[a-z]+[A-Z]\w+$|errors#[a-z]+_\w+$/.test(address),
  );
  expect(titled.length).toBeGreaterThan(100);
  const missed = titled.filter(
    (entry) => !search(entry.title).some(({ found }) => found.some((each) => each.entry === entry)),
  );
  expect(missed.map(({ title }) => title)).toEqual([]);
});

test('every synonym leads to a section', () => {
  expect(index.synonyms).toEqual(synonyms);
  const lost = Object.keys(synonyms).filter((word) => placesFor(word).length === 0);
  expect(lost).toEqual([]);
});

test('a word that no section has finds nothing', () => {
  expect(search('nosuchword')).toEqual([]);
  expect(search(' ?! ')).toEqual([]);
});

test('results of one page stand together, with the sentence that has the most words of the query', () => {
  const groups = search('rotate a secret');
  const pages = groups.map(({ page }) => page);
  expect(new Set(pages).size).toBe(pages.length);
  const [{ found } = { found: [] }] = groups;
  const marked = found[0]!.snippet.filter(({ isMatch }) => isMatch).map(({ text }) => text.toLowerCase());
  expect(marked).toContain('secret');
  for (const { snippet } of groups.flatMap((group) => group.found))
    expect(snippet.map(({ text }) => text).join('').length).toBeLessThan(200);
});
