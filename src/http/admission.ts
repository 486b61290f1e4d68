import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

export interface AdmissionSettings {
  /** Begins to work on a request. */
  begin: RequestListener;
  /** Answers a request for which nothing is done. */
  refuse: RequestListener;
  /** Whether a request creates or completes a contribution. */
  movesMoney: (req: IncomingMessage) => boolean;
  /** How many requests the database can take at this moment: those that move money may come where others may not. */
  room: (movesMoney: boolean) => number;
  /** Told of each request that is refused because the database can take none. */
  onNoRoom: () => void;
  limits?: AdmissionLimits;
}

export interface AdmissionLimits {
  /** Begun in one turn of the event loop. */
  begunInTurn: number;
  /** Requests that move money and wait to be begun, and as many others. */
  waiting: number;
  refusedEveryMs: number;
  /** Refused together; the others wait for the next time. */
  refusedTogether: number;
}

const defaultLimits: AdmissionLimits = {
  begunInTurn: 4,
  waiting: 64,
  refusedEveryMs: 4,
  refusedTogether: 200,
};

type Exchange = [req: IncomingMessage, res: ServerResponse & { req: IncomingMessage }];

/** Of each turn, what is for the others even where many requests wait that move money. */
const shareOfOthers = 0.25;

/**
 * Lets requests in, so that a process with more to do than it can goes on answering as many as it can.
 *
 * Few requests are begun in one turn of the event loop, and the others wait for the next: between two turns the database's answers
 * are read, each of which is what the next request needs. Without this, a thousand requests that arrive together are all begun, and
 * most of them refused, before the next answer of the database is looked at.
 *
 * Who would wait for long, or would find the database's queue full, is refused before anything is done. Refusals are sent together,
 * every four milliseconds and nearly always all of them: between them the others have their turns, and nobody waits long for a refusal.
 *
 * Health is asked for without a queue: a process that is busy is not broken.
 */
export function createAdmission(settings: AdmissionSettings): RequestListener {
  const { begin, refuse, movesMoney, room, onNoRoom, limits = defaultLimits } = settings;
  const waiting: { money: Exchange[]; others: Exchange[] } = { money: [], others: [] };
  const toRefuse: Exchange[] = [];
  let begun = 0;
  let isScheduled = false;

  function refuseSoon(exchange: Exchange): void {
    if (toRefuse.push(exchange) === 1) setTimeout(refuseSome, limits.refusedEveryMs);
  }

  function refuseSome(): void {
    for (const exchange of toRefuse.splice(0, limits.refusedTogether)) refuse(...exchange);
    if (toRefuse.length > 0) setTimeout(refuseSome, limits.refusedEveryMs);
  }

  function refuseForLackOfRoom(exchange: Exchange): void {
    onNoRoom();
    refuseSoon(exchange);
  }

  function beginNow(exchange: Exchange): void {
    begun += 1;
    begin(...exchange);
  }

  /** Begins what the turn and the database have room for. The rest waits on; where the database has no room at all, it is refused. */
  function beginSome(queue: Exchange[], most: number, isMoney: boolean): void {
    if (queue.length === 0) return;
    const roomThere = room(isMoney);
    if (roomThere <= 0) queue.splice(0).forEach(refuseForLackOfRoom);
    else queue.splice(0, Math.max(0, Math.ceil(Math.min(most, roomThere) - begun))).forEach(beginNow);
  }

  function turn(): void {
    begun = 0;
    beginSome(waiting.money, limits.begunInTurn * (1 - shareOfOthers), true);
    beginSome(waiting.others, limits.begunInTurn, false);
    isScheduled = begun + waiting.money.length + waiting.others.length > 0;
    if (isScheduled) setImmediate(turn);
  }

  return (req, res) => {
    if (req.url?.startsWith('/health/') === true) {
      begin(req, res);
      return;
    }
    if (!isScheduled) {
      isScheduled = true;
      setImmediate(turn);
    }
    const isMoney = movesMoney(req);
    const queue = isMoney ? waiting.money : waiting.others;
    const roomThere = room(isMoney);
    if (roomThere <= 0) refuseForLackOfRoom([req, res]);
    else if (queue.length === 0 && begun < Math.min(limits.begunInTurn, roomThere)) beginNow([req, res]);
    else if (queue.length < limits.waiting) queue.push([req, res]);
    else refuseSoon([req, res]);
  };
}
