import type { Links, SdkPage } from '../links';
import type { SdkEntry, SdkMember } from './sdk-document';

/** A method that sends an operation: what a program writes, what it returns, and where it is. */
export interface SdkMethod {
  label: string;
  type: string;
  page: SdkPage;
  id: string;
}

/** The names of the SDK, and where the pages describe them. */
export type SdkNames = ReturnType<typeof createSdkNames>;

/** The page that describes a name, by the file that declares it. */
export function sdkPageOf({ source }: SdkEntry): SdkPage {
  if (/^resources\/(events|webhook)|webhook-handler|^webhooks/.test(source)) return 'sdk-webhooks';
  if (/^resources\/(statement|reconciliation|months)/.test(source)) return 'sdk-statements';
  if (source.startsWith('resources/') || source === 'completions.ts') return 'sdk-resources';
  if (/errors|rejected/.test(source)) return 'sdk-errors';
  return /options|request|logging|intents|store/.test(source) ? 'sdk-options' : 'sdk-reference';
}

export const idOfMember = ({ name }: SdkEntry, member: SdkMember): string => `${name}.${member.name}`;

/** Whether a member has a heading: methods and the client's options, which readers search for. */
export const hasHeading = ({ name }: SdkEntry, { method }: SdkMember): boolean =>
  method !== undefined || name === 'ContributionServiceOptions';

/** The resources by the name of their class, with the code that reads them from the client. */
function pathsOf(entries: readonly SdkEntry[]): Map<string, string> {
  const resources = entries.filter(({ source }) => source.startsWith('resources/'));
  const below = (name: string, path: string): [string, string][] => [
    [name, path],
    ...(entries.find((entry) => entry.name === name)?.members ?? [])
      .filter(({ type }) => resources.some((resource) => resource.name === type))
      .flatMap((member) => below(member.type, `${path}.${member.name}`)),
  ];
  return new Map(below('ContributionService', 'client'));
}

/** The client, its options and its resources, then other classes and functions, then types. */
function inOrder(entries: readonly SdkEntry[], paths: ReadonlyMap<string, string>): SdkEntry[] {
  const first = ['ContributionServiceOptions', 'CallOptions', ...paths.keys()];
  const rank = ({ name, isTypeOnly }: SdkEntry): number => {
    const index = first.indexOf(name);
    return index >= 0 ? index : first.length + Number(isTypeOnly);
  };
  return entries.toSorted((one, other) => rank(one) - rank(other));
}

export function createSdkNames(unordered: readonly SdkEntry[]) {
  const paths = pathsOf(unordered);
  const entries = inOrder(unordered, paths);
  const labelOf = (entry: SdkEntry, member?: SdkMember): string => {
    const path = paths.get(entry.name);
    if (member && entry.name === 'ContributionServiceOptions') return member.name;
    if (member) return `${path ?? entry.name}.${member.name}`;
    return path === undefined || path === 'client' ? entry.name : path;
  };
  const methods = entries.flatMap((entry) =>
    entry.members
      .filter((member) => hasHeading(entry, member))
      .map((member) => ({ entry, member, label: labelOf(entry, member) })),
  );
  const targets = new Map<string, [SdkPage, string]>();
  for (const { entry, member, label } of methods) {
    const target: [SdkPage, string] = [sdkPageOf(entry), idOfMember(entry, member)];
    for (const name of [label, label.replace(/^client\./, '')])
      // `fetch` and `store` are also words of other things. The first entry of an option is kept.
      if (/[A-Z.]|^recover$/.test(name) && !targets.has(name)) targets.set(name, target);
  }
  for (const entry of entries)
    for (const name of [entry.name, labelOf(entry)]) targets.set(name, [sdkPageOf(entry), entry.name]);
  return {
    entries,
    /** The code that reads a resource from the client. Undefined for other names. */
    pathOf: ({ name }: SdkEntry) => paths.get(name),
    /** What a program writes: `client.bank.complete`, `RateLimited` or `webhooks.verify`. */
    labelOf,
    /** The methods that send an operation. */
    methodsOf: (operationId: string): SdkMethod[] =>
      methods
        .filter(({ member }) => member.operations.includes(operationId))
        .map(({ entry, member, label }) => ({
          label,
          type: member.type,
          page: sdkPageOf(entry),
          id: idOfMember(entry, member),
        })),
    /** The link target of code such as `RateLimited` or `client.recover()`. */
    addressOf(code: string, links: Links) {
      const [, name = ''] = /^([\w.]+)(?:\(.*\))?$/.exec(code) ?? [];
      const target = targets.get(name);
      return target && links.page(...target);
    },
  };
}
