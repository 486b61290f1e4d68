import type { RequestListener } from 'node:http';

/**
 * Begins at most so many requests in one turn of the event loop; the others wait for the next, in their order. Between two turns
 * the database's answers are read. Without this, a thousand requests that arrive together are all begun before the next answer of
 * the database is looked at, and the more there are to be refused, the fewer are answered.
 */
export function inTurns(listener: RequestListener, mostInOneTurn: number): RequestListener {
  let waiting: Parameters<RequestListener>[] = [];
  let begun = 0;
  let isScheduled = false;

  function turn(): void {
    const now = waiting.slice(0, mostInOneTurn);
    waiting = waiting.slice(mostInOneTurn);
    begun = now.length;
    isScheduled = begun > 0;
    if (isScheduled) setImmediate(turn);
    for (const [req, res] of now) listener(req, res);
  }

  return (req, res) => {
    if (!isScheduled) {
      isScheduled = true;
      setImmediate(turn);
    }
    if (begun < mostInOneTurn && waiting.length === 0) {
      begun += 1;
      listener(req, res);
    } else waiting.push([req, res]);
  };
}
