import { highlighted } from './highlight';
import { Markup, markup } from '../../shared/markup';
import { type Sample, type SampleLanguage, sampleLanguages } from './samples';

/** What a sample prints or receives. */
export interface SampleAnswer {
  label: string;
  /** The language of the text, for its colors. */
  language: string;
  text: string;
  /** The samples that this is the answer to. */
  of: readonly SampleLanguage[];
}

/** Longer code is cut at this height, with a button that shows all of it. */
const mostLines = 26;

/** The stylesheet has a class for each multiple of four spaces up to this one. */
const deepest = 12;

/** Lines of at most so many characters fit on every screen. */
const alwaysFits = 32;

/**
 * Divides marked code into lines. A long line has the class of its indentation, so that the
 * stylesheet can indent its rest. A token of several lines is closed and opened again.
 */
function inLines({ text: html }: Markup): Markup {
  const open: string[] = [];
  const lines = html.split('\n').map((line, index, all) => {
    const [indentation = ''] = /^ */.exec(line) ?? [];
    const before = open.join('');
    for (const [tag] of line.matchAll(/<\/?span[^>]*>/g))
      if (tag === '</span>') open.pop();
      else open.push(tag);
    const text = `${before}${line.slice(indentation.length)}${'</span>'.repeat(open.length)}`;
    const end = index < all.length - 1 ? '\n' : '';
    const { length } = line.replace(/<[^>]+>/g, '').replace(/&[^;]+;/g, '-');
    return length <= alwaysFits
      ? `${indentation}${text}${end}`
      : `<span class="line in-${Math.min(deepest, 4 * Math.ceil(indentation.length / 4))}">${indentation}${text}${end}</span>`;
  });
  return new Markup(lines.join(''));
}

function renderCode(code: string, language: string): Markup {
  const lines = code.trimEnd().split('\n').length;
  const pre = markup`<pre><code>${inLines(highlighted(code.trimEnd(), language))}</code></pre>`;
  // A checkbox works without a script.
  return lines <= mostLines
    ? pre
    : markup`<div class="long">${pre}<label class="more"><input class="unseen" type="checkbox" aria-label="Show all ${lines} lines"><span class="when-cut">Show all ${lines} lines</span><span class="when-whole">Show fewer lines</span></label></div>`;
}

function renderTabs(samples: readonly Sample[], title: string, name: string): Markup {
  return markup`<fieldset class="tabs"><legend class="unseen">${title}: language</legend>${samples.map(
    ({ language }, index) =>
      markup`<label><input class="unseen" type="radio" name="${name}" value="${language}"${
        index === 0 ? markup` checked` : undefined
      }><span>${sampleLanguages[language]}</span></label>`,
  )}</fieldset>`;
}

/**
 * Samples of one request in several languages, and what they print. Radio buttons and the
 * stylesheet show one language at a time, so that the tabs work without the script.
 *
 * @param title what the samples do, for screen readers
 * @param name unique in the page
 * @param label of a single sample, if it is not the name of its language
 */
export function renderSamples(
  samples: readonly Sample[],
  about: { title: string; name: string; answers?: readonly SampleAnswer[]; label?: string },
): Markup {
  const { title, name, answers = [], label } = about;
  const [first] = samples;
  const isSingle = samples.length === 1 && first !== undefined;
  const head = isSingle
    ? markup`<figcaption>${label ?? sampleLanguages[first.language]}</figcaption>`
    : renderTabs(samples, title, name);
  return markup`<figure class="sample">${head}${samples.map(
    ({ language, code }) =>
      markup`<div class="part" data-languages="${language}">${
        isSingle ? undefined : markup`<p class="part-name">${sampleLanguages[language]}</p>`
      }${renderCode(code, language)}</div>`,
  )}${answers.map(
    (answer) =>
      markup`<div class="part answer" data-languages="${answer.of.join(' ')}"><p>${answer.label}</p>${renderCode(answer.text, answer.language)}</div>`,
  )}</figure>
`;
}

/** One block of code with its name. */
export function renderBlock(label: string | undefined, code: string, language: string): Markup {
  return markup`<figure class="sample">${
    label === undefined ? undefined : markup`<figcaption>${label}</figcaption>`
  }<div class="part">${renderCode(code, language)}</div></figure>
`;
}
