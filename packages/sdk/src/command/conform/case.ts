import type { ContributionService } from '../../client.js';
import type { Completion } from '../../completions.js';
import type {
  AnswerDayQuestionBody,
  CloseMonthBody,
  Contribution,
  DecideEntryBody,
} from '../../generated/api.js';
import type { Exchange, Received, Treatment } from './proxy.js';

export type Result = 'passed' | 'warning' | 'failed' | 'not_reached';

export interface Verdict {
  result: Result;
  detail: string;
}

export const passed = (detail: string): Verdict => ({ result: 'passed', detail });
export const failed = (detail: string): Verdict => ({ result: 'failed', detail });
export const warning = (detail: string): Verdict => ({ result: 'warning', detail });
export const notReached = (detail: string): Verdict => ({ result: 'not_reached', detail });

/** The task of the program, which gets it as JSON in CONFORM_TASK. */
export type Task =
  | { task: 'create'; order_id: string; project_id: number; amount: string; user_hash: string }
  | { task: 'list_projects' }
  | { task: 'show_component'; user_hash: string }
  | { task: 'complete'; transaction_id: string; amount: string; bank_reference: string; value_date: string }
  | { task: 'read_window'; completed_from: string | null }
  | { task: 'complete_many'; completions: readonly Completion[] }
  | { task: 'upload_statement' | 'record_returns'; file: string }
  | { task: 'check_month'; from: string }
  | { task: 'answer_question'; account_id: string; day: string; answer: AnswerDayQuestionBody }
  | { task: 'decide_entry'; entry_id: string; decision: DecideEntryBody }
  | ({ task: 'close_month'; month: string } & CloseMonthBody)
  | { task: 'reopen_month'; month: string; reason: string }
  | { task: 'receive' };

/** One start of the program. */
export interface Step {
  task: Task;
  /** What happens at the service before the program starts. */
  before?: () => Promise<unknown>;
  /** How many programs run at once, default 1. */
  copies?: number;
  variables?: Readonly<Record<string, string>>;
  /**
   * How the program must end, by default `success`.
   *
   * - `success`: it exits with 0.
   * - `failure`: it exits with another code, because the task cannot be done.
   * - `any`: it exits with any code.
   * - `killed`: the kit ends it.
   */
  end?: 'success' | 'failure' | 'any' | 'killed';
}

/** One finished run of the program. */
export interface Run {
  step: Step;
  /** Undefined if a signal ended it. */
  exitCode: number | undefined;
  isTimeout: boolean;
  output: string;
  /** The standard error of the program. It is also part of `output`. */
  errors: string;
}

export interface Evidence {
  exchanges: readonly Exchange[];
  runs: readonly Run[];
}

/** The steps of a case, after it has prepared its contributions. */
export interface Play {
  steps: readonly Step[];
  /** Files in the folder of the program, by name. */
  files?: Readonly<Record<string, string>>;
  treat?: (request: Received) => Treatment | undefined;
  judge: (evidence: Evidence) => Verdict | Promise<Verdict>;
}

/** The client and the data that all cases use. The client bypasses the proxy. */
export interface Stage {
  client: ContributionService;
  projectId: number;
  /** Unique to each run of the kit, so that only the contributions of this run count. */
  id: string;
  newUser: () => string;
  contributionsOf: (user: string) => Promise<Contribution[]>;
}

export interface Case {
  name: string;
  title: string;
  /** The page and section that explain the rule, below `/docs/`. */
  guide: string;
  play: (stage: Stage) => Play | Promise<Play>;
}

export const ofOperation = (
  { exchanges }: Evidence,
  ...operations: readonly Exchange['operation'][]
): Exchange[] => exchanges.filter(({ operation }) => operations.includes(operation));
