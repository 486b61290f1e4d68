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
  /** Waiting to be begun, a quarter of them only to move money. */
  waiting: number;
  /** Refused in one turn. */
  refusedInTurn: number;
  /** Waiting to be refused; beyond it a refusal takes the time of those that are answered. */
  waitingForRefusal: number;
}

const defaultLimits: AdmissionLimits = {
  begunInTurn: 4,
  waiting: 100,
  refusedInTurn: 16,
  waitingForRefusal: 1_000,
};

type Exchange = [req: IncomingMessage, res: ServerResponse & { req: IncomingMessage }];

/** Of the places where a request may wait, those for requests that move money only; of each turn, what is for the others. */
const reservedShare = 0.25;

/**
 * Lets requests in, so that a process with more to do than it can goes on answering as many as it can.
 *
 * Few requests are begun in one turn of the event loop, and the others wait for the next: between two turns the database's answers
 * are read, each of which is what the next request needs. Without this, a thousand requests that arrive together are all begun, and
 * most of them refused, before the next answer of the database is looked at. Who would wait for long, or would find the database's
 * queue full, is refused before anything is done. A refusal still costs a third of an answer, so these have their turns as well:
 * whoever sends more than can be answered waits for his refusals, and others get their answers.
 *
 * Health is asked for without a queue: a process that is busy is not broken.
 */
export function createAdmission(settings: AdmissionSettings): RequestListener {
  const { begin, refuse, room, onNoRoom, limits = defaultLimits } = settings;
  const waiting: { money: Exchange[]; others: Exchange[]; refused: Exchange[] } = {
    money: [],
    others: [],
    refused: [],
  };
  let begun = 0;
  let refused = 0;
  let isScheduled = false;

  function refuseInTurn(exchange: Exchange): void {
    const waits = refused >= limits.refusedInTurn && waiting.refused.length < limits.waitingForRefusal;
    if (waits) waiting.refused.push(exchange);
    else refuseNow(exchange);
  }

  function refuseNow(exchange: Exchange): void {
    refused += 1;
    refuse(...exchange);
  }

  function refuseForLackOfRoom(exchange: Exchange): void {
    onNoRoom();
    refuseInTurn(exchange);
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
    [begun, refused] = [0, 0];
    waiting.refused.splice(0, limits.refusedInTurn).forEach(refuseNow);
    beginSome(waiting.money, limits.begunInTurn * (1 - reservedShare), room(true));
    beginSome(waiting.others, limits.begunInTurn, room(false));
    const left = waiting.money.length + waiting.others.length + waiting.refused.length;
    isScheduled = begun + refused + left > 0;
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
    const movesMoney = req.method === 'PUT' || req.method === 'POST';
    const queue = movesMoney ? waiting.money : waiting.others;
    const roomThere = room(movesMoney);
    if (roomThere <= 0) refuseForLackOfRoom([req, res]);
    else if (queue.length === 0 && begun < Math.min(limits.begunInTurn, roomThere)) beginNow([req, res]);
    else {
      const places = limits.waiting * (movesMoney ? 1 : 1 - reservedShare);
      if (waiting.money.length + waiting.others.length < places) queue.push([req, res]);
      else refuseInTurn([req, res]);
    }
  };
}
