import type { Config } from '../../../read-settings';
import type { Queries } from '../../../db/operator-transaction';
import type { SettingShape, SettingValues } from '../../../shared/setting';

export interface Finding {
  check: string;
  status: 'ok' | 'warning' | 'problem';
  /** The result, and advice unless the status is ok. */
  detail: string;
}

export const finding = (check: string, status: Finding['status'], detail: string): Finding => ({
  check,
  status,
  detail,
});

/** The settings of the service, and its database with a valid schema. */
export interface Examined {
  readonly config: Config;
  /** Outside production: the key of the service in a file of this name. */
  readonly storedKey: (name: string) => Map<number, Buffer>;
  /** Reads in one transaction. */
  readonly read: <T>(work: (queries: Queries) => Promise<T>) => Promise<T>;
  /** Reads once with each login. A login sees only some of the sessions. */
  readonly readWithEachLogin: <T>(work: (queries: Queries) => Promise<T>) => Promise<T[]>;
}

/** What `doctor` finds out about one part of the service. */
export interface Findings<Shape extends SettingShape = SettingShape> {
  /** The names of the checks. `doctor` names those that an earlier problem prevents. */
  readonly checks: readonly string[];
  /** Changes nothing. @param settings those of the feature */
  // A method, so that features with different settings are in one list.
  examine(examined: Examined, settings: SettingValues<Shape>): Promise<Finding[]>;
}
