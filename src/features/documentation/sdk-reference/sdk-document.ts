import { readFileSync } from 'node:fs';
import path from 'node:path';

/** What a comment in the SDK's sources says. Texts have `code` and bullets, as in Markdown. */
export interface SdkComment {
  description: string;
  /** The errors, each with its condition. */
  throws: string[];
  examples: string[];
}

export interface SdkParameter {
  name: string;
  type: string;
  isOptional: boolean;
  description: string;
}

export interface SdkFunction {
  /** As in the sources, without modifiers. */
  signature: string;
  parameters: SdkParameter[];
}

export interface SdkMember extends SdkComment {
  name: string;
  isOptional: boolean;
  /** The type of a property, or what a method returns. */
  type: string;
  /** Undefined for a property. */
  method?: SdkFunction;
  /** The ids of the operations that a method sends. */
  operations: string[];
}

/** A name that the package exports. */
export interface SdkEntry extends SdkComment {
  name: string;
  /** What a program imports it from. */
  module: string;
  /** Whether programs only name it as a type. */
  isTypeOnly: boolean;
  /** The file below packages/sdk/src, which decides on which page it is. */
  source: string;
  /** What it extends, or else implements: `extends CallOptions`. */
  heritage?: string;
  /** The constructor of a class that programs construct, or a function. */
  call?: SdkFunction;
  /** The declaration of another type. */
  definition?: string;
  members: SdkMember[];
}

/** The file that scripts/generate.ts writes, beside the guides. */
const file = path.join(__dirname, '..', '..', '..', '..', 'docs', 'guides', 'sdk-reference.json');

/** Reads every export of the SDK except the generated types, which the API reference describes. */
export const readSdkDocument = (): SdkEntry[] => JSON.parse(readFileSync(file, 'utf8')) as SdkEntry[];
