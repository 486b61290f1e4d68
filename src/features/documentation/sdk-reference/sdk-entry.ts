import { anchor } from '../layout';
import { renderBlock } from '../sample-figure';
import { type Markup, markup } from '../../../shared/markup';
import type { SdkComment, SdkEntry, SdkFunction, SdkMember } from './sdk-document';
import { hasHeading, idOfMember, type SdkNames } from './sdk-names';

export interface SdkContext {
  names: SdkNames;
  /** Renders a sentence with `code` and links. */
  sentence: (text: string) => Markup;
  /** The link target of an SDK name, or of a type that the API reference describes. */
  addressOfType: (name: string) => string | undefined;
  /** The request of an operation, with a link to it. */
  renderOperation: (operationId: string) => Markup;
}

/** Paragraphs and lists. */
function renderText(text: string, { sentence }: SdkContext): Markup[] {
  return text.split(/\n\n+/).map((paragraph) =>
    paragraph.startsWith('- ')
      ? markup`<ul>${paragraph
          .split(/^- /m)
          .slice(1)
          .map((item) => markup`<li>${sentence(item.trim())}</li>`)}</ul>`
      : markup`<p>${sentence(paragraph)}</p>`,
  );
}

/** A type, with a link on each name that is described elsewhere. */
function renderType(type: string, { addressOfType }: SdkContext): Markup {
  const parts = type.split(/\b([A-Z]\w+)\b/).map((part) => {
    const address = addressOfType(part);
    return address === undefined ? part : markup`<a href="${address}">${part}</a>`;
  });
  return markup`${parts}`;
}

const optional = markup` <span class="type">optional</span>`;

function renderParameters({ parameters }: SdkFunction, context: SdkContext): Markup | undefined {
  if (parameters.length === 0) return undefined;
  return markup`<dl class="fields">${parameters.map(
    ({ name, type, isOptional, description }) =>
      markup`<div><dt><code>${name}</code> <span class="type">${renderType(type, context)}</span>${
        isOptional ? optional : undefined
      }</dt><dd>${renderText(description, context)}</dd></div>
`,
  )}</dl>`;
}

function renderThrows({ throws }: SdkComment, { names, sentence }: SdkContext): Markup | undefined {
  if (throws.length === 0) return undefined;
  const errors = names.entries.filter(({ source }) => /errors|rejected/.test(source)).map(({ name }) => name);
  const isError = new RegExp(`\\b(${errors.join('|')})\\b`, 'g');
  // Comments write the names of errors without backticks.
  const marked = (text: string): string =>
    text
      .split('`')
      .map((part, index) => (index % 2 === 0 ? part.replace(isError, '`$1`') : part))
      .join('`');
  return markup`<p>Errors:</p><ul>${throws.map((text) => markup`<li>${sentence(marked(text))}.</li>`)}</ul>`;
}

const renderExamples = ({ examples }: SdkComment): Markup[] =>
  examples.map((example) => renderBlock('Example', example, 'ts'));

function renderMethod(method: SdkFunction, member: SdkMember, context: SdkContext): Markup {
  const requests = member.operations.map(
    (id) => markup`<p class="request-line">${context.renderOperation(id)}</p>`,
  );
  return markup`${requests}
${renderText(member.description, context)}
${renderParameters(method, context)}
<p>Returns <code>${renderType(member.type, context)}</code>.</p>
${renderThrows(member, context)}`;
}

/** A method or an option. */
function renderMember(entry: SdkEntry, member: SdkMember, context: SdkContext): Markup {
  const id = idOfMember(entry, member);
  const label = context.names.labelOf(entry, member);
  const { method } = member;
  return markup`<section class="row part-of-chapter" aria-labelledby="${id}">
<div class="prose explained">
<h3 id="${id}"><code>${label}</code>${anchor(id, label)}</h3>
${
  method
    ? renderMethod(method, member, context)
    : markup`<p class="type">${renderType(member.type, context)}${member.isOptional ? optional : undefined}</p>${renderText(member.description, context)}`
}
</div>
${
  method &&
  markup`<div class="beside examples">${renderBlock('Signature', method.signature, 'ts')}${renderExamples(member)}</div>`
}
</section>
`;
}

function renderProperties(entry: SdkEntry, context: SdkContext): Markup | undefined {
  const properties = entry.members.filter((member) => !hasHeading(entry, member));
  if (properties.length === 0) return undefined;
  return markup`<dl class="fields">${properties.map(
    (member) =>
      markup`<div id="${idOfMember(entry, member)}"><dt><code>${member.name}</code> <span class="type">${renderType(member.type, context)}</span>${
        member.isOptional ? optional : undefined
      }</dt><dd>${renderText(member.description, context)}</dd></div>
`,
  )}</dl>`;
}

/** What a program imports and, for a type, its declaration. */
function renderDeclaration({ name, module, isTypeOnly, definition, call }: SdkEntry): Markup {
  const code = [
    `import ${isTypeOnly ? 'type ' : ''}{ ${name} } from '${module}';`,
    ...(definition === undefined ? [] : ['', definition]),
    ...(call === undefined ? [] : ['', call.signature]),
  ].join('\n');
  return renderBlock(definition === undefined && call === undefined ? 'Import' : 'Signature', code, 'ts');
}

function renderHeritage({ heritage = '' }: SdkEntry, context: SdkContext): Markup | undefined {
  const [, verb = '', type = ''] = /^(extends|implements) (.*)$/.exec(heritage) ?? [];
  if (type === '') return undefined;
  return markup`<p>${verb === 'extends' ? 'Extends' : 'Implements'} <code>${renderType(type, context)}</code>${
    verb === 'extends' && type !== 'Error' ? ', and has its members too' : undefined
  }.</p>`;
}

/** Everything about one name. */
export function renderEntry(entry: SdkEntry, context: SdkContext): Markup {
  const label = context.names.labelOf(entry);
  const path = context.names.pathOf(entry);
  return markup`<section class="row chapter" aria-labelledby="${entry.name}">
<div class="prose explained">
<h2 id="${entry.name}">${label}${anchor(entry.name, label)}</h2>
${path !== undefined && path !== 'client' ? markup`<p class="marks"><span>Class <code>${entry.name}</code></span></p>` : undefined}
${renderText(entry.description, context)}
${renderHeritage(entry, context)}
${entry.call && renderParameters(entry.call, context)}
${renderThrows(entry, context)}
${renderProperties(entry, context)}
</div>
<div class="beside examples">${renderDeclaration(entry)}${renderExamples(entry)}</div>
</section>
${entry.members.filter((member) => hasHeading(entry, member)).map((member) => renderMember(entry, member, context))}`;
}
