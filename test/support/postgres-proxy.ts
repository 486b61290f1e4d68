import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * Which of the service's connections something is about, by the application_name of their startup
 * message.
 */
export type ProxiedApplication = 'contribution-service' | 'contribution-service notifications';

/**
 * At which moment a connection is cut: - `request`: the statement has left the service, and the
 * server never sees it; - `answer`: the server has run and committed it, and the service never sees
 * the answer; - `silence`: the same, but the connection stays open and says nothing any more; -
 * `after-answer`: the answer arrives together with the server's last words, as when a server shuts
 * down.
 */
export type CutMoment = 'request' | 'reply' | 'silence' | 'after-reply';

/**
 * A place between the service and PostgreSQL where connections are watched, cut, refused and
 * frozen.
 */
export interface PostgresProxy {
  /** What the service is given as its database. */
  url: string;
  /**
   * Statement names of the round trips of the request path so far; the text of an unprepared one.
   */
  roundTrips(): string[];
  /** How many connections of an application are open. */
  connectionCount(application: ProxiedApplication): number;
  /**
   * Cuts the one connection on which this statement comes next, of the request path or of an
   * operator's command.
   */
  cutAt(moment: CutMoment, statementName: string): void;
  /** Cuts what is open and refuses what comes, of one application or of all, until `restore`. */
  refuse(application?: ProxiedApplication): void;
  /**
   * Passes nothing on any more in either direction, of one application or of all, until `restore`.
   */
  freeze(application?: ProxiedApplication): void;
  /** Cuts what is open; new connections are welcome. */
  cut(): void;
  /** Ends refusals, frozen connections and cuts still to come. */
  restore(): void;
  stop(): Promise<void>;
}

interface Connection {
  client: Socket;
  server: Socket;
  application: string;
  /** Name of the statement under way. */
  statement: string;
  /** How its answer is to be treated. */
  fate: Exclude<CutMoment, 'request'> | undefined;
}

/** Splits a stream of PostgreSQL messages; the first of a client has no type. */
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

/** The zero-terminated texts of a message from a place on. */
function texts(message: Buffer, from: number): string[] {
  return message.toString('utf8', from).split('\0');
}

/** FATAL 57P01, as a server says it that is shut down. */
function terminationMessage(): Buffer {
  const fields = Buffer.from(
    'SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0',
  );
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeUInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

export async function startPostgresProxy(databaseUrl: string): Promise<PostgresProxy> {
  const target = new URL(databaseUrl);
  const connections = new Set<Connection>();
  const roundTrips: string[] = [];
  const cuts = new Map<string, CutMoment>();
  const refused = new Set<string>();
  const frozen = new Set<string>();
  const isIn = (set: Set<string>, application: string) => set.has('*') || set.has(application);

  function end(connection: Connection): void {
    connections.delete(connection);
    connection.client.destroy();
    connection.server.destroy();
  }

  /** A complete request: every message up to Sync, or a simple query. */
  function noteRequest(connection: Connection): void {
    const { application, statement } = connection;
    if (application === 'contribution-service') roundTrips.push(statement);
    else if (application !== 'contribution-service operator') return;
    const moment = cuts.get(statement);
    if (moment === undefined) return;
    cuts.delete(statement);
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
    if (type === 'Q') connection.statement = first;
    // Parse has a name and a text, Bind a portal and a name; what has no name is known by its text.
    if (type === 'P') connection.statement = first || second;
    if (type === 'B') connection.statement = second || connection.statement;
    if (type === 'S' || type === 'Q') noteRequest(connection);
    if (!connection.server.destroyed) connection.server.write(message);
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
    const connection: Connection = { client, server, application: '', statement: '', fate: undefined };
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
    cutAt: (moment, statementName) => void cuts.set(statementName, moment),
    refuse(application) {
      refused.add(application ?? '*');
      cut(application);
    },
    freeze: (application) => void frozen.add(application ?? '*'),
    cut() {
      cut();
    },
    restore() {
      // What was frozen has lost messages and is of no more use.
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
