import type { Random } from '../../faults/random';
import type { FuzzCase } from './case';
import { chunked, bodyBytes, render, renderHead, type RequestParts, wholeRequest } from './request-parts';

/** Invalid bytes after whole requests, at which the service must close the connection. */
const brokenEnds: Readonly<Record<string, (next: RequestParts) => Buffer>> = {
  nonsense: () => Buffer.from('}}}}\r\n\r\n'),
  'half-a-head': (next) => render(next).subarray(0, 40),
  'half-a-body': (next) => Buffer.concat([renderHead(next, [['Content-Length', '100']]), Buffer.from('{')]),
  'a-broken-chunk': (next) =>
    Buffer.concat([renderHead(next, [['Transfer-Encoding', 'chunked']]), Buffer.from('zz\r\n')]),
  'two-lengths': (next) =>
    Buffer.concat([
      renderHead(next, [
        ['Content-Length', '2'],
        ['Content-Length', '3'],
      ]),
      Buffer.from('{}}'),
    ]),
  'a-chunk-too-many': (next) =>
    Buffer.concat([
      renderHead(next, [['Transfer-Encoding', 'chunked']]),
      chunked(bodyBytes(next.body)),
      Buffer.from('0\r\n\r\n'),
    ]),
};

/** Several pipelined requests, optionally followed by invalid bytes. */
export function pipelineCase(index: number, requests: readonly RequestParts[], random: Random): FuzzCase {
  const whole = random.chance(0.5) ? requests : requests.slice(0, -1);
  const last = requests.at(-1);
  const [name, end] = random.pick(Object.entries(brokenEnds));
  const hasEnd = whole.length < requests.length && last !== undefined;
  return {
    index,
    kind: hasEnd ? `pipeline:${name}` : 'pipeline',
    bytes: Buffer.concat([...whole.map(render), ...(hasEnd ? [end(last)] : [])]),
    cuts: [],
    requests: whole.map(wholeRequest),
    rest: hasEnd ? 'anything' : 'nothing',
  };
}
