import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

export interface AdmissionSettings {
  /** Begins to work on a request. */
  begin: RequestListener;
  /** Answers a request for which nothing is done. */
  refuse: RequestListener;
  /** How many requests the database can take at this moment: those that move money may come where others may not. */
  room: (movesMoney: boolean) => number;
  /** Told of each request that is refused because the database can take none. */
  onNoRoom: () => void;
  limits?: AdmissionLimits;
}

export interface AdmissionLimits {
  /** Begun in one turn of the event loop. */
  begunInTurn: number;
  /** Reads that wait to be begun, and as many requests that move money: in a burst, and once there have been some for longer than it. */
  waiting: { inBurst: number; beyond: number };
  burstMs: number;
  refusedEveryMs: number;
}

const defaultLimits: AdmissionLimits = {
  begunInTurn: 4,
  waiting: { inBurst: 150, beyond: 20 },
  burstMs: 100,
  refusedEveryMs: 2,
};

type Exchange = [req: IncomingMessage, res: ServerResponse & { req: IncomingMessage }];

/** Of each turn, what is for reads even where many requests wait that move money. */
const shareOfReads = 0.25;

/**
 * Lets requests in, so that a process with more to do than it can goes on answering as many as it can.
 *
 * Few requests are begun in one turn of the event loop, and the others wait for the next: between two turns the database's answers
 * are read, each of which is what the next request needs. Without this, a thousand requests that arrive together are all begun, and
 * most of them refused, before the next answer of the database is looked at.
 *
 * Who would wait for long, or would find the database's queue full, is refused before anything is done. What comes at once, and then
 * no more, may wait. Where somebody always waits, more places serve nobody: each answer is later by what stands before it, and the
 * garbage collector copies all that waits. Refusals are sent together, every two milliseconds and all of them, so that none waits behind
 * those that come after it.
 *
 * Health is asked for without a queue: a process that is busy is not broken.
 */
export function createAdmission(settings: AdmissionSettings): RequestListener {
  const { begin, refuse, room, onNoRoom, limits = defaultLimits } = settings;
  const waiting: { money: Exchange[]; others: Exchange[] } = { money: [], others: [] };
  const toRefuse: Exchange[] = [];
  /** Since when there has always been somebody waiting. */
  let waitingSince: number | undefined;
  let begun = 0;
  let isScheduled = false;

  function refuseSoon(exchange: Exchange): void {
    if (toRefuse.push(exchange) === 1) setTimeout(refuseAll, limits.refusedEveryMs);
  }

  function refuseAll(): void {
    for (const exchange of toRefuse.splice(0)) refuse(...exchange);
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
  function beginSome(queue: Exchange[], most: number, roomThere: number): void {
    if (roomThere <= 0) queue.splice(0).forEach(refuseForLackOfRoom);
    else queue.splice(0, Math.max(0, Math.ceil(Math.min(most, roomThere) - begun))).forEach(beginNow);
  }

  function turn(): void {
    begun = 0;
    beginSome(waiting.money, limits.begunInTurn * (1 - shareOfReads), room(true));
    beginSome(waiting.others, limits.begunInTurn, room(false));
    const isAnyWaiting = waiting.money.length + waiting.others.length > 0;
    waitingSince = isAnyWaiting ? (waitingSince ?? performance.now()) : undefined;
    isScheduled = begun > 0 || isAnyWaiting;
    if (isScheduled) setImmediate(turn);
  }

  /** How many reads may wait, and as many requests that move money. */
  function places(): number {
    const isBurst = waitingSince === undefined || performance.now() - waitingSince < limits.burstMs;
    return isBurst ? limits.waiting.inBurst : limits.waiting.beyond;
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
    const movesMoney = req.method === 'PUT' || req.method === 'POST';
    const queue = movesMoney ? waiting.money : waiting.others;
    const roomThere = room(movesMoney);
    if (roomThere <= 0) refuseForLackOfRoom([req, res]);
    else if (queue.length === 0 && begun < Math.min(limits.begunInTurn, roomThere)) beginNow([req, res]);
    else if (queue.length < places()) queue.push([req, res]);
    else refuseSoon([req, res]);
  };
}
