import type { IncomingMessage } from 'node:http';

import { invalidRequest, ServiceError } from '../../shared/errors';
import type { Principal, Scope } from '../../shared/scopes';
import {
  defaultDelayMs,
  type Fault,
  faultHeader,
  type FaultKind,
  faultKinds,
  faultMisfit,
  takesFaults,
} from './fault-kinds';
import type { FaultInjection } from './inject-fault';

/** The parts of an operation's contract that matter for faults. */
interface FaultyOperation {
  readonly operationId: string;
  readonly scope: Scope | null;
  readonly errors?: readonly string[];
}

/** Takes one of the armed faults of an operation, if any is left. */
export type TakeFault = (principal: Principal, operationId: string) => Promise<Fault | undefined>;

/** Makes requests of test environments fail, as they or their company asked. */
export interface RequestFaults extends FaultInjection {
  readonly take: TakeFault;
}

/** Where the faults of a company come from. */
export interface FaultSource {
  readonly take: TakeFault;
  /** Called for each request that fails because of a fault. */
  readonly onFault: (kind: FaultKind) => void;
}

const headerName = faultHeader.toLowerCase();
const kindOf = new Map<string, FaultKind>(faultKinds.map((kind) => [kind, kind]));

const invalid = (code: 'unsupported_value', detail: string): ServiceError =>
  invalidRequest([{ code, detail, header: faultHeader }]);

/**
 * The fault that a request's own header asks for.
 *
 * @throws ServiceError invalid_request in production, and for an unknown kind; scope_missing
 */
export function faultOfHeader(
  { headers }: IncomingMessage,
  { environmentKind, scopes }: Principal,
  operation: FaultyOperation,
): Fault | undefined {
  const value = headers[headerName];
  if (value === undefined || !takesFaults(operation)) return undefined;
  if (environmentKind !== 'test')
    throw invalid('unsupported_value', 'Remove this header. Faults work only in the test environment.');
  if (!scopes.includes('sandbox')) {
    throw new ServiceError('scope_missing', {
      detail: `The header ${faultHeader} requires the scope sandbox, which this key pair lacks.`,
    });
  }
  const kind = typeof value === 'string' ? kindOf.get(value) : undefined;
  if (!kind) throw invalid('unsupported_value', `Send one of ${faultKinds.join(', ')}.`);
  const misfit = faultMisfit(operation, kind);
  if (misfit !== undefined) throw invalid('unsupported_value', misfit);
  return { kind, delayMs: defaultDelayMs };
}
