import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';

import { type Exchange, type FuzzCase, pieces, type Transcript } from '../cases/case';
import { readResponses } from '../oracle/responses';

const responseTimeoutMs = 15_000;
/** A service that has sent nothing for this long is waiting for more input. */
const quietMs = 120;

/** A client's connection, reused as long as its framing is unambiguous. */
class Connection {
  received: Buffer[] = [];
  isOver = false;
  wasReset = false;
  lastByteAt = 0;
  private wake: () => void = () => undefined;

  private constructor(readonly socket: Socket) {
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => {
      this.received.push(chunk);
      this.lastByteAt = performance.now();
      this.wake();
    });
    socket.on('end', () => {
      this.isOver = true;
      this.wake();
    });
    socket.on('error', () => {
      this.wasReset = true;
    });
    socket.on('close', () => {
      this.isOver = true;
      this.wake();
    });
  }

  static async open(port: number): Promise<Connection> {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    await once(socket, 'connect');
    return new Connection(socket);
  }

  /** Resolves at the next event, or at the timeout. */
  async change(timeoutMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    // A process that was delayed sees its timeout before the data that arrived meanwhile.
    await turn();
  }
}

/** The state of the responses to the whole requests of a case. */
function progress(connection: Connection, { requests }: FuzzCase): { hasResponse: boolean; isLast: boolean } {
  const bytes = Buffer.concat(connection.received);
  const { responses } = readResponses(bytes, (number) => requests[number]?.method === 'HEAD');
  const isLast = responses.some(({ headers }) => headers.get('connection')?.includes('close') === true);
  return { hasResponse: isLast || responses.length >= requests.length, isLast };
}

/** Waits for the responses; true if the client may send more over the same connection. */
async function converse(connection: Connection, fuzzCase: FuzzCase, deadline: number): Promise<boolean> {
  const isWhole = fuzzCase.rest === 'nothing';
  for (;;) {
    if (connection.isOver) return false;
    const left = deadline - performance.now();
    if (left <= 0) return false;
    if (isWhole) {
      const { hasResponse, isLast } = progress(connection, fuzzCase);
      if (hasResponse && !isLast) return true;
      await connection.change(left);
    } else {
      const before = connection.received.length;
      await connection.change(Math.min(left, quietMs));
      // For invalid input, waits until the connection is closed.
      const mayBeOver =
        fuzzCase.rest === 'anything' || deadline - performance.now() < responseTimeoutMs - 5_000;
      const isQuiet = mayBeOver && connection.received.length === before && !connection.isOver;
      // Waits for the responses to whole requests as long as necessary. Bytes after them may get no
      // response.
      if (isQuiet && progress(connection, fuzzCase).hasResponse) return false;
    }
  }
}

/** Sends cases over TCP. Whole requests use persistent connections, one per concurrent sender. */
export function createWireExchange(port: number): { exchange: Exchange; close: () => void } {
  const idle: Connection[] = [];

  async function exchange(fuzzCase: FuzzCase): Promise<Transcript> {
    const isWhole = fuzzCase.rest === 'nothing';
    const kept = isWhole ? idle.pop() : undefined;
    const connection = kept && !kept.isOver ? kept : await Connection.open(port);
    connection.received = [];
    const startedAt = performance.now();
    for (const [number, piece] of pieces(fuzzCase).entries()) {
      if (number > 0) await turn();
      if (!connection.isOver) connection.socket.write(piece);
    }
    const mayBeKept = await converse(connection, fuzzCase, startedAt + responseTimeoutMs);
    const timedOut = performance.now() >= startedAt + responseTimeoutMs;
    const closedByService = connection.isOver;
    if (mayBeKept) idle.push(connection);
    else {
      connection.socket.end();
      // The service responds to the end of the input, or closes the connection.
      const deadline = performance.now() + 2_000;
      while (!connection.isOver && performance.now() < deadline) {
        await connection.change(deadline - performance.now());
      }
      connection.socket.destroy();
    }
    return {
      bytes: Buffer.concat(connection.received),
      closedByService,
      wasReset: connection.wasReset,
      timedOut,
      elapsedMs: Math.max(0, connection.lastByteAt - startedAt),
    };
  }

  return {
    exchange,
    close() {
      for (const { socket } of idle) socket.destroy();
    },
  };
}
