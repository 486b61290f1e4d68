import { ContributionError } from '../errors.js';
import type { ContributionService } from '../client.js';
import type { Event } from '../generated/api.js';
import { isLoopback } from '../options.js';
import {
  columns,
  type Command,
  type Context,
  integerOf,
  textOf,
  UsageError,
  type Values,
} from './command.js';
import { eventAt, followFeed, startOf } from './feed-position.js';
import {
  deliver,
  deliverWithinMs,
  isAccepted,
  type ListenerState,
  openState,
  stateFile,
} from './listener.js';
import { wait } from './stopping.js';
import { rowOf } from './tail.js';

const retrySeconds = [1, 2, 5, 10, 30];
/** With --once, the command ends after this many failed attempts to deliver an event. */
const mostAttemptsOnce = 4;

/** @throws UsageError unless it is a share from 0 to 1 */
function shareOf(values: Values, name: string): number {
  const share = Number(textOf(values, name) ?? '0');
  if (!(share >= 0 && share <= 1))
    throw new UsageError(`--${name} must be a share from 0 to 1, such as 0.1.`);
  return share;
}

function urlOf(values: Values): URL {
  const text = textOf(values, 'forward-to');
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new UsageError(
      'Pass the address of your receiver, such as --forward-to http://localhost:3000/webhooks.',
    );
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw new UsageError(
      `Plain HTTP would send your events unencrypted to ${url.hostname}. Use https://, or a receiver on this machine.`,
    );
  return url;
}

/**
 * The stored position, if it belongs to this pair.
 *
 * @throws UsageError if it belongs to another pair
 */
function positionOf(
  { api_key: storedKey, after }: ListenerState,
  apiKey: string,
  file: string,
): number | undefined {
  if (after === undefined || storedKey === undefined || storedKey === apiKey) return after;
  throw new UsageError(
    `${file} stores the position in the feed of another key pair, ${storedKey}. Pass another file with --state. If you rotated the pair, continue with --after ${after}.`,
  );
}

/** @throws UsageError if another event has this number now: the feed was restarted */
async function requireSameFeed(
  client: ContributionService,
  { after, event_id: id }: ListenerState,
): Promise<void> {
  if (after === undefined || id === undefined) return;
  if ((await eventAt(client, after))?.id !== id)
    throw new UsageError(
      `The feed was restarted: its event ${after} is not the one that was forwarded. Pass --after 0 to forward the new feed.`,
    );
}

/** The state to store for a new position. */
async function startingAt(
  client: ContributionService,
  after: number,
): Promise<{ after: number; event_id?: string | undefined }> {
  return { after, event_id: (await eventAt(client, after))?.id };
}

/** The subject of an event. Events of the same subject keep their order. */
function subjectOf({ data }: Event): string | null {
  if ('endpoint_id' in data) return data.endpoint_id;
  if ('account_id' in data) return data.account_id;
  return 'bank_company_id' in data ? data.bank_company_id : data.transaction_id;
}

interface Disturbances {
  drop: number;
  duplicate: number;
  shuffle: boolean;
}

const disturbancesOf = (values: Values): Disturbances => ({
  drop: shareOf(values, 'drop'),
  duplicate: shareOf(values, 'duplicate'),
  shuffle: values['shuffle'] === true,
});

/** Advice on a failed delivery. */
const adviceOn = (outcome: number | string, seconds: number): string =>
  `${typeof outcome === 'string' ? ': is your receiver running?' : ','} next attempt in ${seconds} s`;

/**
 * Forwards each event until the receiver accepts it, with the disturbances that the options select.
 */
class Forwarder {
  #held: Event | undefined;

  constructor(
    private readonly print: Context['print'],
    private readonly target: { url: URL; secret: string },
    private readonly disturbances: Disturbances,
    private readonly mostAttempts: number,
  ) {}

  /**
   * @throws ContributionError if the command must stop before the receiver has accepted the event
   */
  async #untilAccepted(event: Event, isDropped: boolean, stop: AbortSignal): Promise<void> {
    for (let attempt = 0; ; attempt += 1) {
      const isLost = isDropped && attempt === 0;
      const outcome = isLost ? 'dropped' : await deliver(this.target.url, this.target.secret, event);
      const seconds = isLost ? 0 : (retrySeconds[Math.min(attempt, retrySeconds.length - 1)] ?? 0);
      const isDone = isAccepted(outcome);
      const isLast = attempt + 1 >= this.mostAttempts;
      const advice = isDone || isLost || isLast ? '' : adviceOn(outcome, seconds);
      this.print({ event_id: event.id, outcome }, columns([[...rowOf(event), `${outcome}${advice}`]]));
      if (isDone) return;
      if (isLast)
        throw new ContributionError(
          `The receiver did not accept event ${event.sequence} in ${this.mostAttempts} attempts. The last one got ${outcome}. Is your receiver running at ${this.target.url.href}?`,
        );
      await wait(seconds * 1_000, stop);
      if (stop.aborted) throw new ContributionError('The receiver did not accept the last event.');
    }
  }

  async #forward(event: Event, stop: AbortSignal): Promise<void> {
    await this.#untilAccepted(event, Math.random() < this.disturbances.drop, stop);
    if (Math.random() < this.disturbances.duplicate) await this.#untilAccepted(event, false, stop);
  }

  /** With `shuffle`, swaps every other event with the next event of another contribution. */
  async onEvent(event: Event, stop: AbortSignal): Promise<void> {
    const before = this.#held;
    this.#held = undefined;
    if (!this.disturbances.shuffle) await this.#forward(event, stop);
    else if (before === undefined) this.#held = event;
    else {
      const isSame = subjectOf(before) === subjectOf(event);
      for (const each of isSame ? [before, event] : [event, before]) await this.#forward(each, stop);
    }
  }

  get isHolding(): boolean {
    return this.#held !== undefined;
  }

  async flush(): Promise<void> {
    if (this.#held) await this.#forward(this.#held, AbortSignal.timeout(2 * deliverWithinMs));
    this.#held = undefined;
  }
}

export const listen: Command = {
  summary: 'forward the events of your feed to a receiver on your machine, as signed webhooks',
  help: `Usage: contribution-service-sdk listen --forward-to URL [OPTIONS]

Forwards each event of your feed to your receiver, signed as a webhook. The receiver needs no public address.
The command stores the position and the secret in a file. The next run continues at this position, so no
event is lost while your computer is off. The first run begins with the next new event.

  --forward-to URL   the address of your receiver
  --after N          begin after the event with this sequence; 0 begins with the first event
  --since 1h         begin with the events of the past hour, or of another period such as 30m or 2d
  --state FILE       the file with the position and the secret, default .contribution-listen.json
  --drop P           drop this share of the first attempts, such as 0.1; a later attempt delivers the event
  --duplicate P      deliver this share of the events twice
  --shuffle          deliver events of different contributions out of order
  --once             stop at the end of the feed, or after ${mostAttemptsOnce} failed attempts to deliver an event`,
  options: {
    'forward-to': { type: 'string' },
    after: { type: 'string' },
    since: { type: 'string' },
    state: { type: 'string' },
    drop: { type: 'string' },
    duplicate: { type: 'string' },
    shuffle: { type: 'boolean' },
    once: { type: 'boolean' },
  },
  worksInProduction: false,
  left: undefined,
  async run(context) {
    const { client: build, positionals, values, print } = context;
    if (positionals.length > 0) throw new UsageError('This command takes no arguments, only options.');
    const url = urlOf(values);
    const file = stateFile(values);
    const client = build();
    const disturbances = disturbancesOf(values);
    const { state, save } = await openState(file);
    const forwarder = new Forwarder(
      print,
      { url, secret: state.secret },
      disturbances,
      values['once'] === true ? mostAttemptsOnce : Infinity,
    );
    const apiKey = context.variables['CONTRIBUTION_API_KEY'] ?? '';
    const [after, since] = [integerOf(values, 'after'), textOf(values, 'since')];
    const isChosen = after !== undefined || since !== undefined;
    const stored = isChosen ? undefined : positionOf(state, apiKey, file);
    if (stored !== undefined) await requireSameFeed(client, state);
    const start = await startOf(client, { after, since, stored });
    state.api_key = apiKey;
    state.forward_to = url.href;
    if (stored === undefined) Object.assign(state, await startingAt(client, start));
    // The next run begins here, even if this one ends before it has forwarded an event.
    await save();
    const move = (position: number): void => {
      state.after = position;
      if (last?.sequence === position) state.event_id = last.id;
    };
    let last: Event | undefined;
    print(
      { secret_in: file, after: start },
      `The secret of the webhooks is in ${file}. Forwarding after ${start}.`,
    );
    const end = await followFeed({
      client,
      lost: context.lost,
      after: start,
      afterId: state.event_id,
      isOnce: values['once'] === true,
      async onEvent(event, stop) {
        await forwarder.onEvent(event, stop);
        last = event;
      },
      async onPosition(position) {
        // The forwarder has not delivered an event that it holds back.
        if (forwarder.isHolding) return;
        move(position);
        await save();
      },
      onInterruption(error) {
        print({ outcome: 'interrupted', detail: error.message }, `interrupted  ${error.message}`);
      },
    });
    if (forwarder.isHolding) {
      await forwarder.flush();
      move(end);
      await save();
    }
    return 0;
  },
};
