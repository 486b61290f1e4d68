import type { ServerResponse } from 'node:http';
import type { BlockList, Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import { contained } from '../../shared/contained';
import { type Peer, peerOf } from '../request/client-address';
import { mostHeldPerConnection } from './admission/class-limits';
import { clearConnection, type Connection } from './admission/fair-queue';

/**
 * Beyond this number of unsent bytes, no request of the connection starts. It is at least Node's
 * `highWaterMark`, so Node has also stopped reading from the connection.
 */
const mostUnsentBytes = 64 * 1024;

/** The connection of a client. It can have several pending requests (RFC 9112, 9.3.2). */
export class ClientConnection implements Connection {
  inFlight = 0;
  readonly lanes: Connection['lanes'] = new Set();
  /** Requests without a written response. */
  held = 0;
  /** Their approximate size in memory. */
  heldBytes = 0;
  /** Whether Node has read the connection again after its first request. */
  isReadAgain = false;
  /** Responses that are not sent yet, in the order of their requests. */
  readonly pending: ServerResponse[] = [];
  /** The response that ends the connection (RFC 9112, 9.6). Later requests get no response. */
  private last: ServerResponse | undefined;
  /** Requests behind the last one. */
  private ignored = 0;
  /** The last sent response, if no other response may follow it. */
  private final: ServerResponse | undefined;

  constructor(
    private readonly socket: Socket,
    readonly peer: Peer,
  ) {}

  /** Whether the client reads its responses more slowly than the service writes them. */
  isBackedUp(): boolean {
    return this.socket.writableLength > mostUnsentBytes;
  }

  /**
   * Notes the response to a new request.
   *
   * @returns false if the request must be ignored, because it arrived after the one with the last
   *   response. Ignored requests stay in memory until that response is sent. Too many of them close
   *   the connection
   */
  accept(res: ServerResponse): boolean {
    this.pending.push(res);
    this.final = undefined;
    if (this.last === undefined || this.last === res) return true;
    res.once('close', () => {
      this.remove(res);
    });
    this.ignored += 1;
    if (this.ignored > mostHeldPerConnection) this.socket.destroy();
    return false;
  }

  /**
   * Forgets a response that is sent. V8 would otherwise copy one for each open connection in every
   * collection of the young generation.
   */
  remove(res: ServerResponse): void {
    this.pending.splice(this.pending.indexOf(res), 1);
    if (this.pending.length === 0 && isFinal(res)) this.final = res;
  }

  /**
   * Makes a response with `Connection: close` the last one of the connection. The server must not
   * process later requests: they would take effect, but get no response.
   */
  endWith(res: ServerResponse): void {
    this.last ??= res;
  }

  /**
   * The last response that is not sent yet. Skips a request that is still arriving and has no
   * response. Only the latest can be in this state.
   */
  lastPending(): ServerResponse | undefined {
    return this.pending.findLast((res) => !res.writableFinished && (res.req.complete || res.headersSent));
  }

  /**
   * Whether no further response may be sent. Either a request already has its response although its
   * body is still arriving, or the last response closes the connection.
   */
  isClosing(): boolean {
    const latest = this.pending.at(-1) ?? this.final;
    return latest !== undefined && isFinal(latest);
  }
}

/** Whether no response may follow this one. */
const isFinal = (res: ServerResponse): boolean =>
  res.headersSent && (!res.req.complete || !res.shouldKeepAlive || res.getHeader('Connection') === 'close');

/** The connections of a server that have had a request. */
export class Connections {
  private readonly bySocket = new Map<Duplex, ClientConnection>();

  /** @param trustedProxies proxies whose headers describe the client */
  constructor(private readonly trustedProxies: BlockList) {}

  /** Undefined before the first request of a connection and after its end. */
  known(socket: Duplex): ClientConnection | undefined {
    return this.bySocket.get(socket);
  }

  of(socket: Socket): ClientConnection {
    const known = this.bySocket.get(socket);
    if (known) return known;
    const connection = new ClientConnection(socket, peerOf(socket, this.trustedProxies));
    if (socket.closed) return connection;
    this.bySocket.set(socket, connection);
    socket.once(
      'close',
      contained(() => {
        this.bySocket.delete(socket);
        clearConnection(connection);
        // Node emits 'close' only for the first pending response, not for those behind it.
        setImmediate(() => {
          for (const res of [...connection.pending]) res.emit('close');
        });
      }),
    );
    return connection;
  }

  /** The last pending response of each connection that has one. */
  lastPending(): ServerResponse[] {
    return [...this.bySocket.values()].flatMap(({ pending }) => pending.at(-1) ?? []);
  }

  /**
   * The number of responses that the operating system has not taken yet. Node already treats a
   * connection as idle when its response is written.
   */
  countPending(): number {
    let count = 0;
    for (const { pending } of this.bySocket.values()) count += pending.length;
    return count;
  }
}
