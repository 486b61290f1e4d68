import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Selects connections by the application_name of their startup message. */
export type ProxiedApplication = 'contribution-service' | 'contribution-service notifications';

/**
 * When a connection is cut:
 * - `request`: the query has left the service, and the server never receives it;
 * - `reply`: the server has run and committed it, and the service never receives the reply;
 * - `silence`: as `reply`, but the connection stays open and sends nothing;
 * - `after-reply`: the reply arrives together with a termination message, as at a server shutdown.
 */
export type CutMoment = 'request' | 'reply' | 'silence' | 'after-reply';

/**
 * A proxy between the service and PostgreSQL that can watch, cut, reject and freeze connections.
 */
export interface PostgresProxy {
  /** The database URL for the service. */
  url: string;
  /** The round trips of requests so far: the query's name, or its text if it is unprepared. */
  roundTrips(): string[];
  /** The number of open connections of an application. */
  connectionCount(application: ProxiedApplication): number;
  /** Cuts the next connection on which a request or an operator's command runs this query. */
  cutAt(moment: CutMoment, queryName: string): void;
  /** Closes the connections of one application or of all, and rejects new ones, until `restore`. */
  refuse(application?: ProxiedApplication): void;
  /** Stops forwarding in both directions, for one application or for all, until `restore`. */
  freeze(application?: ProxiedApplication): void;
  /**
   * Responds with this SQLSTATE to the requests of the service with these queries, by name or by
   * text if it is unprepared, until `restore`.
   */
  failWith(sqlState: string, queries?: RegExp): void;
  /** Closes open connections and accepts new ones. */
  cut(): void;
  /** Ends rejection and freezing, and cancels pending cuts. */
  restore(): void;
  stop(): Promise<void>;
}

interface Connection {
  client: Socket;
  server: Socket;
  application: string;
  /** Name of the current query. */
  query: string;
  /** The messages of a request that is not complete yet. */
  held: Buffer[];
  /** What happens to its reply. */
  fate: Exclude<CutMoment, 'request'> | undefined;
}

/** Splits a stream of PostgreSQL messages. The first message of a client has no type. */
function messageSplitter(startsUntyped: boolean, onMessage: (type: string, message: Buffer) => void) {
  let rest: Buffer = Buffer.alloc(0);
  let isUntyped = startsUntyped;
  return (chunk: Buffer): void => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const lengthAt = isUntyped ? 0 : 1;
      if (rest.length < lengthAt + 4) return;
      const end = lengthAt + rest.readUInt32BE(lengthAt);
      if (rest.length < end) return;
      const message = rest.subarray(0, end);
      rest = rest.subarray(end);
      const type = isUntyped ? '' : String.fromCharCode(message[0]!);
      isUntyped = false;
      onMessage(type, message);
    }
  };
}

/** The zero-terminated strings of a message from this offset. */
function texts(message: Buffer, from: number): string[] {
  return message.toString('utf8', from).split('\0');
}

/** An error, as a server sends it. */
function errorMessage(severity: string, sqlState: string, text: string): Buffer {
  const fields = Buffer.from(`S${severity}\0V${severity}\0C${sqlState}\0M${text}\0\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeUInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

/** FATAL 57P01, as a server sends it when it shuts down. */
const terminationMessage = (): Buffer =>
  errorMessage('FATAL', '57P01', 'terminating connection due to administrator command');

/** ReadyForQuery outside a transaction. */
const readyForQuery = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

export async function startPostgresProxy(databaseUrl: string): Promise<PostgresProxy> {
  const target = new URL(databaseUrl);
  const connections = new Set<Connection>();
  const roundTrips: string[] = [];
  const cuts = new Map<string, CutMoment>();
  const refused = new Set<string>();
  const frozen = new Set<string>();
  let failing: { sqlState: string; queries: RegExp } | undefined;
  const isIn = (set: Set<string>, application: string) => set.has('*') || set.has(application);

  function end(connection: Connection): void {
    connections.delete(connection);
    connection.client.destroy();
    connection.server.destroy();
  }

  /** A complete request: every message up to Sync, or a simple query. */
  function noteRequest(connection: Connection): void {
    const { application, query } = connection;
    if (application === 'contribution-service') roundTrips.push(query);
    else if (!/^contribution-service (operator|verify)$/.test(application)) return;
    const moment = cuts.get(query);
    if (moment === undefined) return;
    cuts.delete(query);
    if (moment === 'request') end(connection);
    else connection.fate = moment;
  }

  function onClientMessage(connection: Connection, type: string, message: Buffer): void {
    if (type === '') {
      const parameters = texts(message, 8);
      connection.application = parameters[parameters.indexOf('application_name') + 1] ?? '';
      if (isIn(refused, connection.application)) end(connection);
    }
    const [first = '', second = ''] = texts(message, 5);
    if (type === 'Q') connection.query = first;
    // Parse has a name and a text; Bind has a portal and a name. Unnamed queries are identified
    // by their text.
    if (type === 'P') connection.query = first || second;
    if (type === 'B') connection.query = second || connection.query;
    // Holds a request until its Sync, because Citus may commit at Execute.
    connection.held.push(message);
    if (/^[PBDEC]$/.test(type)) return;
    if (type === 'S' || type === 'Q') noteRequest(connection);
    if (
      failing?.queries.test(connection.query) &&
      /^[SQ]$/.test(type) &&
      connection.application === 'contribution-service'
    ) {
      connection.held = [];
      connection.client.write(
        Buffer.concat([errorMessage('ERROR', failing.sqlState, 'injected'), readyForQuery]),
      );
      return;
    }
    if (!connection.server.destroyed) connection.server.write(Buffer.concat(connection.held));
    connection.held = [];
  }

  function onServerMessage(connection: Connection, type: string, message: Buffer): void {
    const isReadyForQuery = type === 'Z';
    if (connection.fate === 'silence') return;
    if (connection.fate === 'reply') {
      if (isReadyForQuery) end(connection);
      return;
    }
    if (connection.fate === 'after-reply' && isReadyForQuery) {
      connection.client.end(Buffer.concat([message, terminationMessage()]));
      connections.delete(connection);
      connection.server.destroy();
      return;
    }
    connection.client.write(message);
  }

  const listener = createServer((client) => {
    if (refused.has('*')) {
      client.destroy();
      return;
    }
    const server = connect(Number(target.port), target.hostname);
    const connection: Connection = {
      client,
      server,
      application: '',
      query: '',
      held: [],
      fate: undefined,
    };
    connections.add(connection);
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        end(connection);
      });
    }
    const fromClient = messageSplitter(true, (type, message) => {
      onClientMessage(connection, type, message);
    });
    const fromServer = messageSplitter(false, (type, message) => {
      onServerMessage(connection, type, message);
    });
    client.on('data', (chunk) => {
      if (isIn(frozen, connection.application)) return;
      fromClient(chunk);
    });
    server.on('data', (chunk) => {
      if (!isIn(frozen, connection.application)) fromServer(chunk);
    });
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');

  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((listener.address() as AddressInfo).port);

  function cut(application = '*'): void {
    for (const connection of connections) {
      if (application === '*' || connection.application === application) end(connection);
    }
  }

  return {
    url: url.href,
    roundTrips: () => [...roundTrips],
    connectionCount: (application) =>
      [...connections].filter((connection) => connection.application === application).length,
    cutAt: (moment, queryName) => void cuts.set(queryName, moment),
    refuse(application) {
      refused.add(application ?? '*');
      cut(application);
    },
    freeze: (application) => void frozen.add(application ?? '*'),
    failWith(sqlState, queries = /^/) {
      failing = { sqlState, queries };
    },
    cut() {
      cut();
    },
    restore() {
      failing = undefined;
      // Frozen connections have lost messages and cannot be used again.
      for (const application of frozen) cut(application);
      frozen.clear();
      refused.clear();
      cuts.clear();
    },
    async stop() {
      cut();
      listener.close();
      await once(listener, 'close');
    },
  };
}
