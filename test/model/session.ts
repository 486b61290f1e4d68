import type { Call, Exchange, HttpClient } from '../faults/clients/http';
import type { TestService } from '../support/service';
import { type Action, type Answer, type Command, describe, type Happening, type Request } from './actions';
import { explain } from './explanation';
import { possibilities } from './model';
import { sendHeld } from './held-request';
import { observe } from './observe';
import type { Tenants } from './tenants';
import type { Visits } from './visits';
import type { Principal, World } from './world';

/** What every sequence of a run shares. */
export interface Stage {
  readonly service: TestService;
  readonly http: HttpClient;
  /** The active projects in editorial order. */
  readonly projects: readonly number[];
  readonly visits: Visits;
}

/** One sequence on its way: the service, and the worlds that the model holds possible after what was answered. */
export interface Session {
  readonly stage: Stage;
  readonly tenants: Tenants;
  /** Distinguishes the users, keys and references of this sequence. */
  readonly name: string;
  readonly createdFrom: string;
  /** One of the possible worlds; nearly always there is only one. */
  world(): World;
  worlds(): readonly World[];
  /**
   * Does these at once and holds the answers against the model.
   *
   * @throws ModelMismatch when no order of them explains the answers
   */
  perform(...actions: Action[]): Promise<Answer[]>;
  /** Has the operator do something after the service has read the head of a request, and before it has the body. */
  performHeld(request: Request, command: Command): Promise<void>;
  /** The key of a live pair, the newest unless told otherwise; issues one where there is none. */
  livePair(of: Principal, whichever?: number): Promise<string>;
  /** What has happened until now, in words. */
  history(): string;
}

/** The service has answered what the model does not allow. */
export class ModelMismatch extends Error {}

let sessionCount = 0;

export async function openSession(stage: Stage, tenants: Tenants): Promise<Session> {
  const { service, http, visits } = stage;
  sessionCount += 1;
  const pairs = (await tenants.reset()).map((pair) => ({
    ...pair,
    revokedAtMs: undefined,
    isRefused: false,
  }));
  const createdFrom = tenants.quietAt;
  let worlds: World[] = [{ now: 0, projects: stage.projects, links: [], transactions: [], pairs }];
  const lines: string[] = [];

  const send = (call: Call): Promise<Exchange> => http.send(call);

  async function carryOut(action: Command): Promise<Happening> {
    const sentAt = Date.now();
    const answer = await tenants.command(action);
    return { action, answer, sentAt, answeredAt: Date.now() };
  }

  async function ask(action: Request, way: (call: Call) => Promise<Exchange>): Promise<Happening> {
    const pair = { apiKey: action.apiKey, apiSecret: tenants.secrets.get(action.apiKey)! };
    return { action, ...(await observe(way, action, pair, createdFrom)) };
  }

  /** Takes down what has happened, and leaves the worlds that explain it. */
  function understand(happenings: readonly Happening[]): void {
    const before = worlds;
    const isAlone = happenings.length === 1;
    lines.push(...happenings.map((each) => `${isAlone ? ' ' : '|'} ${describe(each)}`));
    worlds = explain(before, happenings);
    if (worlds.length > 0) return;
    const allowed = before.flatMap((world) => possibilities(world, happenings[0]!));
    const reason = isAlone
      ? `the model allows ${allowed.map(({ answer }) => JSON.stringify(answer)).join(' or ')}`
      : 'no order of the last ones explains their answers';
    throw new ModelMismatch(`${reason}; what happened, with | at once:\n${lines.join('\n')}`);
  }

  /** An answer that is not of the documented form fails with the history as well. */
  async function settled<Result>(work: Promise<Result>): Promise<Result> {
    try {
      return await work;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new ModelMismatch(`${reason}; what had happened, with | at once:\n${lines.join('\n')}`);
    }
  }

  const session: Session = {
    stage,
    tenants,
    name: String(sessionCount),
    createdFrom,
    world: () => worlds[0]!,
    worlds: () => worlds,
    history: () => lines.join('\n'),

    async perform(...actions) {
      if (actions.length === 1) visits.alone(worlds[0]!, actions[0]!);
      else visits.together(worlds[0]!, actions);
      const all = actions.map((action) => ('by' in action ? ask(action, send) : carryOut(action)));
      // None is left behind when another one fails.
      await Promise.allSettled(all);
      const happenings = await settled(Promise.all(all));
      understand(happenings);
      return happenings.map(({ answer }) => answer);
    },

    async performHeld(request, command) {
      const happening = await settled(
        ask(request, (call) =>
          sendHeld(service.port, call, async () => {
            understand([await carryOut(command)]);
          }),
        ),
      );
      visits.held(request);
      understand([happening]);
    },

    async livePair(of, whichever = -1) {
      const live = () => worlds[0]!.pairs.filter((pair) => pair.of === of && pair.revokedAtMs === undefined);
      if (live().length === 0) await session.perform({ kind: 'issue', of });
      const { length } = live();
      return live().at(whichever < 0 ? -1 : whichever % length)!.apiKey;
    },
  };
  return session;
}
