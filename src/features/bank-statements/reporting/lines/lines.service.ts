import type { FoundLine, LineFilter, LineListsStore, LinePlace, TermRequest } from './line-lists.store';
import type { LineSource, ReportLine } from './report-line';
import type { FilePlace, ReportLinesStore } from './report-lines.store';

/** The maximum number of lines that are read for a page of a filtered list. */
const mostRead = 5_000;

export interface LinesPage<Place> {
  lines: ReportLine[];
  /** Present if there may be more lines. */
  next: Place | undefined;
}

const placeOf = ({ accountId, day, entryId }: LinePlace): LinePlace => ({ accountId, day, entryId });

/** A page of a list that was read up to a maximum, and where to go on. */
function pageOf(found: readonly FoundLine[], limit: number): { ids: string[]; next: LinePlace | undefined } {
  const wanted = found.filter(({ isWanted }) => isWanted);
  const page = wanted.slice(0, limit);
  const last = wanted.length > limit ? page.at(-1) : found.find(({ isLastRead }) => isLastRead);
  return { ids: page.map(({ entryId }) => entryId), next: last && placeOf(last) };
}

export interface LinesService {
  toExplain(
    environmentId: number,
    filter: LineFilter,
    after: LinePlace | undefined,
    limit: number,
  ): Promise<LinesPage<LinePlace>>;
  ofTerm(environmentId: number, request: TermRequest, limit: number): Promise<LinesPage<LinePlace>>;
  ofFile(
    environmentId: number,
    fileId: string,
    after: FilePlace | undefined,
    limit: number,
  ): Promise<LinesPage<FilePlace>>;
  /** @returns undefined if the environment has no such line */
  get(
    environmentId: number,
    entryId: string,
  ): Promise<{ line: ReportLine; sources: LineSource[] } | undefined>;
}

export function createLinesService(lists: LineListsStore, lines: ReportLinesStore): LinesService {
  return {
    async toExplain(environmentId, filter, after, limit) {
      const isFiltered = filter.outcome !== undefined || filter.state !== undefined;
      const most = isFiltered ? mostRead : limit + 1;
      const found = await lists.toExplain(environmentId, filter, after, { limit: limit + 1, most });
      const { ids, next } = pageOf(found, limit);
      return { lines: await lines.lines(environmentId, ids), next };
    },
    async ofTerm(environmentId, request, limit) {
      const found = await lists.ofTerm(environmentId, request, limit + 1);
      const page = found.slice(0, limit);
      const ids = page.map(({ entryId }) => entryId);
      const next = found.length > limit ? page.at(-1) : undefined;
      return { lines: await lines.lines(environmentId, ids), next };
    },
    async ofFile(environmentId, fileId, after, limit) {
      const found = await lines.ofFile(environmentId, fileId, after, limit + 1);
      const page = found.slice(0, limit);
      const last = found.length > limit ? page.at(-1) : undefined;
      const next = last && { statementId: last.statement_id, number: last.number, part: last.part };
      return { lines: page, next };
    },
    async get(environmentId, entryId) {
      const [line] = await lines.lines(environmentId, [entryId]);
      return line && { line, sources: await lines.sources(environmentId, entryId) };
    },
  };
}
