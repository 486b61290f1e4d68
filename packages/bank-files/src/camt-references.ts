import { type CamtNode, child, descendants } from './camt-tree';
import { fileLimits } from './file-limits';
import { type EntryPart, referencesOf } from './statement-file';

/** A field that can contain an id, and how to read it if it occurs more than once. */
interface Field {
  path: readonly string[];
  textsAt: (node: CamtNode, path: readonly string[]) => (string | undefined)[];
}

const first = (...path: string[]): Field => ({ path, textsAt: (node) => [child(node, ...path)?.text] });
const each = (...path: string[]): Field => ({
  path,
  textsAt: (node) => descendants(node, ...path).map(({ text }) => text),
});
/** For a text that banks wrap over several elements. */
const joined = (...path: string[]): Field => ({
  path,
  textsAt: (node) => {
    const texts = descendants(node, ...path).map(({ text }) => text);
    return [texts.join('\n').slice(0, fileLimits.textLength)];
  },
});

/** The fields of a detail that contain only references. */
const identifiers = [
  first('Refs', 'EndToEndId'),
  first('Refs', 'InstrId'),
  first('Refs', 'TxId'),
  each('Refs', 'Prtry', 'Ref'),
  each('RmtInf', 'Strd', 'CdtrRefInf', 'Ref'),
];
const texts = [joined('RmtInf', 'Ustrd'), first('AddtlTxInf')];
const further = [
  each('Refs', 'AcctSvcrRef'),
  each('Refs', 'PmtInfId'),
  each('Refs', 'MsgId'),
  each('Refs', 'ClrSysRef'),
  each('Refs', 'ChqNb'),
  joined('RmtInf', 'Strd', 'AddtlRmtInf'),
  each('RmtInf', 'Strd', 'RfrdDocInf', 'Nb'),
  joined('RmtInf', 'Strd', 'RfrdDocInf', 'LineDtls', 'Desc'),
  each('RltdRmtInf', 'RmtId'),
  each('Purp', 'Prtry'),
  // The names of version 01.
  each('RmtInf', 'Strd', 'RfrdDocInf', 'RfrdDocNb'),
  each('RmtInf', 'Strd', 'CdtrRefInf', 'CdtrRef'),
];
const entryTexts = [first('AddtlNtryInf')];
const furtherOfEntry = [
  each('NtryRef'),
  each('AcctSvcrRef'),
  each('NtryDtls', 'Btch', 'PmtInfId'),
  each('NtryDtls', 'Btch', 'MsgId'),
  // Version 01 has no NtryDtls.
  each('Btch', 'PmtInfId'),
];

/** The fields that can contain an id, as paths of element names below `Ntry` and `TxDtls`. */
export const camtFields: readonly string[] = [
  ...[...entryTexts, ...furtherOfEntry].map(({ path }) => ['Ntry', ...path]),
  ...[...identifiers, ...texts, ...further].map(({ path }) => ['TxDtls', ...path]),
].map((path) => path.join('/'));

const textsOf = (node: CamtNode, fields: readonly Field[]): (string | undefined)[] =>
  fields.flatMap(({ path, textsAt }) => textsAt(node, path));

type References = Pick<EntryPart, 'identifiers' | 'references' | 'furtherReferences'>;

function furtherReferences(
  all: readonly (string | undefined)[],
  references: readonly string[],
): string[] | undefined {
  const others = referencesOf([...new Set(all)].filter((text) => !references.includes(text ?? '')));
  return others.length === 0 ? undefined : others;
}

/** The texts of a detail that can contain an id. */
export function partReferences(details: CamtNode): References {
  const ofIdentifiers = textsOf(details, identifiers);
  const references = referencesOf([...ofIdentifiers, ...textsOf(details, texts)]);
  return {
    identifiers: referencesOf(ofIdentifiers),
    references,
    furtherReferences: furtherReferences(textsOf(details, further), references),
  };
}

/** The texts of an entry that can contain an id, with those of its only detail. */
export function entryReferences(node: CamtNode, only: References | undefined): References {
  const references = referencesOf([...(only?.references ?? []), ...textsOf(node, entryTexts)]);
  const others = [...(only?.furtherReferences ?? []), ...textsOf(node, furtherOfEntry)];
  return {
    // A bank may use this reference in its completions, as the reference of the transfer.
    identifiers: referencesOf([...(only?.identifiers ?? []), child(node, 'AcctSvcrRef')?.text]),
    references,
    furtherReferences: furtherReferences(others, references),
  };
}
