import { readBai2 } from './bai2';
import { openCamt } from './camt';
import { layoutsOf } from './csv-layouts';
import type { CsvMapping } from './csv-mapping';
import { readCsvStatement } from './csv-statement';
import { decodePlainText, isXml, openXmlDecoder, startLength } from './decode';
import { fileLimits } from './file-limits';
import { isNacha, readNachaReturns } from './nacha-returns';
import { refuseOtherFormat } from './other-formats';
import type { ReadOptions } from './read-options';
import type { StatementFile } from './statement-file';
import { StatementFileRefused } from './statement-file-refused';

const tooLarge = (limit: number): StatementFileRefused =>
  new StatementFileRefused(`The file has more than ${limit / 1024 / 1024} MiB.`);

/** Reads a camt file in chunks. */
class XmlFile {
  readonly #decoder;
  readonly #camt = openCamt();

  constructor(start: Uint8Array) {
    this.#decoder = openXmlDecoder(start);
  }

  write(bytes: Uint8Array): void {
    this.#camt.write(this.#decoder.write(bytes));
  }

  end(): StatementFile {
    this.#camt.write(this.#decoder.end());
    return this.#camt.end();
  }
}

/** The most ready-made mappings that a refusal names. */
const mostOffers = 3;

function readText(bytes: Uint8Array, mapping: CsvMapping | undefined, options?: ReadOptions): StatementFile {
  const text = decodePlainText(bytes);
  if (text.trim() === '') throw new StatementFileRefused('The file is empty.');
  if (/^\s*01,/.test(text)) return readBai2(text, options);
  if (isNacha(text)) return readNachaReturns(text);
  if (mapping) return readCsvStatement(text, mapping);
  const offers = layoutsOf(text).slice(0, mostOffers);
  const offered = offers.map(({ title, mapping: its }) => `${title}: ${JSON.stringify(its)}`).join('; ');
  throw new StatementFileRefused(
    offered === ''
      ? 'The file is not camt.052, camt.053 or camt.054 (XML), BAI2 or NACHA. A CSV file needs a mapping.'
      : `A CSV file needs a mapping. Its header fits these. Check that the columns mean this, and send one as mapping: ${offered}`,
  );
}

/** The number of bytes that are decoded at once: the whole text never is in memory. */
const chunkLength = 64 * 1024;

/**
 * Reads a file. Its content determines the format, never its name.
 *
 * @param mapping the columns of a CSV file
 * @throws StatementFileRefused if the file as a whole cannot be read
 */
export function readStatementFile(
  bytes: Uint8Array,
  mapping?: CsvMapping,
  options?: ReadOptions,
): StatementFile {
  if (bytes.length > fileLimits.bytes) throw tooLarge(fileLimits.bytes);
  const start = bytes.subarray(0, startLength);
  refuseOtherFormat(start);
  if (!isXml(start)) return readText(bytes, mapping, options);
  const file = new XmlFile(start);
  for (let at = 0; at < bytes.length; at += chunkLength) file.write(bytes.subarray(at, at + chunkLength));
  return file.end();
}

/**
 * Reads a file that arrives in chunks, for example from a stream. A camt file may then have
 * `fileLimits.streamedBytes`, because only its current entry is in memory as XML.
 *
 * @throws StatementFileRefused as `readStatementFile`
 */
export async function readStatementChunks(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  mapping?: CsvMapping,
): Promise<StatementFile> {
  let length = 0;
  let file: XmlFile | undefined;
  let isPlain = false;
  const waiting: Uint8Array[] = [];
  for await (const chunk of chunks) {
    length += chunk.length;
    const limit = file ? fileLimits.streamedBytes : fileLimits.bytes;
    if (length > limit) throw tooLarge(limit);
    if (file) {
      file.write(chunk);
      continue;
    }
    waiting.push(chunk);
    if (isPlain || length < startLength) continue;
    const first = Buffer.concat(waiting.splice(0));
    const start = first.subarray(0, startLength);
    refuseOtherFormat(start);
    isPlain = !isXml(start);
    if (isPlain) {
      waiting.push(first);
      continue;
    }
    file = new XmlFile(start);
    file.write(first);
  }
  return file ? file.end() : readStatementFile(Buffer.concat(waiting.splice(0)), mapping);
}
