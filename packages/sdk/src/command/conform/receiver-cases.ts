import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

import type { Event } from '../../generated/api.js';
import { failed, notReached, passed, type Stage, type Verdict } from './case.js';
import { lastErrors } from './play.js';
import type { Delivery, Receiver } from './receiver.js';

/** The program under test, and events of the feed of the test environment. */
export interface ReceiverStage {
  stage: Stage;
  receiver: Receiver;
  /** The secret with which the program is started. */
  secret: string;
  /** Creates contributions and returns their events, oldest first. */
  newEvents: (count: number) => Promise<Event[]>;
}

export interface ReceiverCase {
  name: string;
  title: string;
  guide: string;
  judge: (stage: ReceiverStage) => Promise<Verdict>;
}

export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

const isAccepted = (status: number | undefined): boolean =>
  status !== undefined && status >= 200 && status < 300;
const shown = (status: number | undefined): string =>
  status === undefined ? 'no response in 15 seconds' : `status ${status}`;
/** The detail of a case starts with this text if its program did not listen. */
export const notListening = 'The program did not listen on PORT';
function silent({ port, runs }: Receiver): Verdict {
  const last = runs.at(-1);
  // A program that the kit killed has no exit code.
  const advice =
    last?.exitCode === undefined
      ? 'Start a server there: .listen(process.env.PORT).'
      : `It exited with ${last.exitCode}.${lastErrors(last)}`;
  return notReached(`${notListening}, which was ${port}. ${advice}`);
}
const howToVerify =
  'Compute HMAC-SHA256 of webhook-id.webhook-timestamp.body, with the raw body. The key is the base64-decoded part of the secret after whsec_.';
const rejectedGood = (status: number | undefined): Verdict =>
  failed(
    `A good delivery got ${shown(status)}. Respond with 2xx.${status !== undefined && status >= 400 && status < 500 ? ` ${howToVerify}` : ''}`,
  );
const minutes = (count: number): number => count * 60_000;

/** A copy with a new id, which no feed contains. */
const copyOf = (event: Event): Event => ({ ...event, id: randomUUID() });

/** Delivers good events, one after another, and waits until the program has processed them. */
async function accepts(
  { receiver }: ReceiverStage,
  events: readonly Event[],
  delivery: Delivery,
): Promise<Verdict | undefined> {
  for (const event of events) {
    const status = await receiver.deliver(event, delivery);
    if (!isAccepted(status)) return rejectedGood(status);
  }
  const missing = await receiver.missing(events.map(({ id }) => id));
  return missing.length === 0
    ? undefined
    : failed(`${missing.length} events got a 2xx status, but the program did not process them.`);
}

/** Fails if the program processed an event more than once. */
async function repeated({ receiver }: ReceiverStage): Promise<Verdict | undefined> {
  // Wait for late work of the program.
  await delay(300);
  const ids = await receiver.processed();
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index);
  return twice.length === 0
    ? undefined
    : failed(`The program processed an event ${twice.length + 1} times. Process each id once.`);
}

/**
 * A case with a delivery that the program must reject. It must accept the valid deliveries before
 * and after.
 */
function rejects(
  name: string,
  title: string,
  bad: (event: Event, secret: string) => [Event, Delivery],
): ReceiverCase {
  return {
    name,
    title,
    guide: 'events#webhooks',
    async judge(given) {
      const { receiver, secret, newEvents } = given;
      if (!(await receiver.start([secret]))) return silent(receiver);
      const events = await newEvents(1);
      const good = { name: 'good', secrets: [secret] };
      const problem = await accepts(given, events, good);
      if (problem) return problem;
      const [event, delivery] = bad(copyOf(events[0] as Event), secret);
      const status = await receiver.deliver(event, delivery);
      await delay(300);
      if (isAccepted(status))
        return failed(`The program accepted it with ${shown(status)}. Respond with 400.`);
      return (await receiver.processed()).includes(event.id)
        ? failed('The program processed an event that it rejected.')
        : passed(`The program rejected it with ${shown(status)}.`);
    },
  };
}

const bad: readonly ReceiverCase[] = [
  rejects('bad_signature', 'The body was changed after it was signed', (event, secret) => [
    event,
    { name: 'changed body', secrets: [secret], signedBody: `${JSON.stringify(event)} ` },
  ]),
  rejects('other_secret', 'The body is signed with the secret of another endpoint', (event) => [
    event,
    { name: 'another secret', secrets: [newSecret()] },
  ]),
  rejects('old_timestamp', 'An old request is replayed', (event, secret) => [
    event,
    { name: '10 minutes old', secrets: [secret], at: Date.now() - minutes(10) },
  ]),
  rejects('other_environment', 'The event belongs to the other environment', (event, secret) => [
    { ...event, environment: 'production' },
    { name: 'environment production', secrets: [secret] },
  ]),
];

const rotation: ReceiverCase = {
  name: 'rotation',
  title: 'The secret is rotated, and both secrets are valid for a time',
  guide: 'events#secrets',
  async judge(given) {
    const { receiver, secret: old, newEvents } = given;
    const next = newSecret();
    if (!(await receiver.start([old]))) return silent(receiver);
    const events = await newEvents(3);
    const both = { name: 'signed with the new and the old secret', secrets: [next, old] };
    const first = await accepts(given, events.slice(0, 1), both);
    if (first) return failed(`Before your program has the new secret: ${first.detail}`);
    await receiver.kill();
    if (!(await receiver.start([next, old]))) return silent(receiver);
    const [second, third] = [events.slice(1, 2), events.slice(2)];
    const problem =
      (await accepts(given, second, { name: 'signed with the old secret', secrets: [old] })) ??
      (await accepts(given, third, { name: 'signed with the new secret', secrets: [next] }));
    return problem ?? passed('The program accepted the old and the new secret during the overlap.');
  },
};

const good: readonly ReceiverCase[] = [
  {
    name: 'duplicate',
    title: 'An event is delivered again, also after a restart',
    guide: 'events#webhooks',
    async judge(given) {
      const { receiver, secret, newEvents } = given;
      if (!(await receiver.start([secret]))) return silent(receiver);
      const events = await newEvents(1);
      const delivery = { name: 'good', secrets: [secret] };
      const again = { name: 'the same event again', secrets: [secret] };
      const problem = (await accepts(given, events, delivery)) ?? (await accepts(given, events, again));
      if (problem) return problem;
      await receiver.kill();
      if (!(await receiver.start([secret]))) return silent(receiver);
      return (
        (await accepts(given, events, again)) ??
        (await repeated(given)) ??
        passed('The program processed the event once.')
      );
    },
  },
  {
    name: 'order',
    title: 'The events of two contributions arrive out of order',
    guide: 'events#webhooks',
    async judge(given) {
      const { receiver, secret, newEvents } = given;
      if (!(await receiver.start([secret]))) return silent(receiver);
      const events = await newEvents(2);
      const delivery = { name: 'overtaken', secrets: [secret] };
      const problem = (await accepts(given, [...events].reverse(), delivery)) ?? (await repeated(given));
      return problem ?? passed('The program processed both events.');
    },
  },
  {
    name: 'unknown_type',
    title: 'A later version sends an unknown type, unknown members and a ping',
    guide: 'events#types',
    async judge(given) {
      const { receiver, secret, newEvents } = given;
      if (!(await receiver.start([secret]))) return silent(receiver);
      const events = await newEvents(1);
      const [event] = events as [Event];
      const strange = { ...copyOf(event), type: 'contribution.later', more: { nested: true } };
      const { id, timestamp, environment } = copyOf(event);
      const ping = { id, type: 'ping', timestamp, environment };
      for (const each of [strange, ping]) {
        const status = await receiver.deliver(each, { name: `type ${each.type}`, secrets: [secret] });
        if (!isAccepted(status))
          return failed(`The type ${each.type} got ${shown(status)}. Respond with 2xx.`);
      }
      const problem = await accepts(given, events, { name: 'good', secrets: [secret] });
      return problem ?? passed('The program ignored them and processed the next event.');
    },
  },
  {
    name: 'completed_again',
    title: 'A completion is corrected, and the contribution is completed again',
    guide: 'events#corrections',
    async judge(given) {
      const { receiver, secret, newEvents } = given;
      if (!(await receiver.start([secret]))) return silent(receiver);
      const [created] = (await newEvents(1)) as [Event];
      const later = ['completed', 'corrected', 'completed'].map((name, index) => ({
        ...copyOf(created),
        type: `contribution.${name}`,
        sequence: created.sequence + index + 1,
      }));
      const delivery = { name: 'good', secrets: [secret] };
      const problem = await accepts(given, [created, ...(later as Event[])], delivery);
      if (problem)
        return failed(`${problem.detail} A contribution can be completed again: process every event.`);
      return passed('The program processed the correction and both completions.');
    },
  },
  {
    name: 'burst',
    title: 'Many deliveries arrive at once',
    guide: 'events#webhooks',
    async judge(given) {
      const { receiver, secret, newEvents } = given;
      if (!(await receiver.start([secret]))) return silent(receiver);
      const events = await newEvents(20);
      const delivery = { name: 'at once', secrets: [secret] };
      const twice = events.flatMap((event) => [event, event]);
      const statuses = await Promise.all(twice.map((event) => receiver.deliver(event, delivery)));
      const wrong = statuses.find((status) => !isAccepted(status));
      if (statuses.some((status) => !isAccepted(status)))
        return failed(`A good delivery got ${shown(wrong)}.`);
      const missing = await receiver.missing(events.map(({ id }) => id));
      if (missing.length > 0) return failed(`${missing.length} of 20 events were not processed.`);
      return (await repeated(given)) ?? passed('The program processed 20 events once each.');
    },
  },
  {
    name: 'gap',
    title: 'Events are recorded while your program is down, and are not delivered later',
    guide: 'events#webhooks',
    async judge(given) {
      const { receiver, secret, newEvents } = given;
      if (!(await receiver.start([secret]))) return silent(receiver);
      const problem = await accepts(given, await newEvents(1), { name: 'good', secrets: [secret] });
      if (problem) return problem;
      await receiver.kill();
      const missed = await newEvents(2);
      if (!(await receiver.start([secret]))) return silent(receiver);
      const missing = await receiver.missing(missed.map(({ id }) => id));
      if (missing.length > 0)
        return failed(
          `${missing.length} of 2 events are missing. When your program starts, read the feed from its position.`,
        );
      return (await repeated(given)) ?? passed('The program read the missed events from the feed.');
    },
  },
];

export const receiverCases: readonly ReceiverCase[] = [...bad, rotation, ...good];
