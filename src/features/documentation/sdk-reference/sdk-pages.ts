import type { EndpointContract } from '../../../http/contract';
import { type Markup, markup } from '../../../shared/markup';
import { anchor, type PageContent, renderOutline, type Section } from '../layout';
import { type Links, type SdkPage, sdkPages } from '../links';
import { pageOfOperation } from '../reference-groups';
import { breakable } from '../text';
import { renderEntry, type SdkContext } from './sdk-entry';
import { type SdkNames, sdkPageOf } from './sdk-names';
import { sdkPageTitles } from './sdk-page-titles';

const purposes: Readonly<Record<SdkPage, string>> = {
  'sdk-reference': 'The client, its calls and its lists.',
  'sdk-resources': 'The methods of the client, with their parameters, results and errors.',
  'sdk-statements': 'The methods for bank statements, their accounts and entries, positions and months.',
  'sdk-options': 'The options of the client and of a call, the stores of unfinished requests, and logs.',
  'sdk-errors': 'The classes of errors, their members, and what to do after each.',
  'sdk-webhooks':
    'The event feed, the endpoints of your webhooks, and the functions that verify and handle them.',
};

/** The link from the guide. */
export const renderSdkReferenceLink = (links: Links): Markup =>
  markup`<p>The <a href="${links.page('sdk-reference')}">SDK reference</a> describes every name: methods, options, stores and errors.</p>
`;

interface SdkReferenceInput {
  names: SdkNames;
  contracts: readonly EndpointContract[];
  sentence: (text: string) => Markup;
}

function contextOf({ names, contracts, sentence }: SdkReferenceInput, links: Links): SdkContext {
  const operationOf = (id: string): EndpointContract | undefined =>
    contracts.find(({ operationId }) => operationId === id);
  const addressOf = (contract: EndpointContract): string =>
    links.page(pageOfOperation(contract), contract.operationId);
  return {
    names,
    sentence,
    addressOfType(name) {
      const own = names.entries.find((entry) => entry.name === name);
      if (own) return links.page(sdkPageOf(own), name);
      const [, operation = ''] = /^(\w+)(?:Query|Body|Response)$/.exec(name) ?? [];
      const contract = operationOf(operation.charAt(0).toLowerCase() + operation.slice(1));
      return contract && addressOf(contract);
    },
    renderOperation(operationId) {
      const contract = operationOf(operationId);
      if (!contract) throw new Error(`the SDK sends ${operationId}, which is no operation`);
      const { method, path } = contract;
      return markup`<span class="method ${method}">${method.toUpperCase()}</span> <a href="${addressOf(contract)}"><code>${breakable(path.replace('/company/integration', ''))}</code></a>`;
    },
  };
}

/** The names of a page, with the first sentence about each. */
function renderIndex(page: SdkPage, { names }: SdkNamesInput, context: SdkContext, links: Links): Markup {
  const title = page === 'sdk-reference' ? 'Client, calls and lists' : sdkPageTitles[page];
  const item = (entry: SdkNames['entries'][number]): Markup => {
    const [first = ''] = /^.*?\.(?= |$)/.exec(entry.description.split('\n')[0] ?? '') ?? [];
    return markup`<li><a href="${links.page(page, entry.name)}"><code>${names.labelOf(entry)}</code></a> <span>${context.sentence(first)}</span></li>
`;
  };
  return markup`<div class="row chapter full"><div class="prose">
<h2 id="${page}">${title}${anchor(page, title)}</h2>
<p>${purposes[page]}${page === 'sdk-reference' ? undefined : markup` <a href="${links.page(page)}">${title}: all details</a>`}</p>
<ul class="index-list">${names.entries.filter((entry) => sdkPageOf(entry) === page).map(item)}</ul>
</div></div>
`;
}

type SdkNamesInput = Pick<SdkReferenceInput, 'names'>;

/** A page of the SDK's reference. The first one also lists all names. */
export function renderSdkPage(page: SdkPage, input: SdkReferenceInput, links: Links): PageContent {
  const context = contextOf(input, links);
  const { names } = input;
  const entries = names.entries.filter((entry) => sdkPageOf(entry) === page);
  const title = sdkPageTitles[page];
  const isFirst = page === 'sdk-reference';
  const indexes = isFirst ? sdkPages : [];
  const sections: Section[] = [
    ...indexes.map((each) => ({
      id: each,
      title: each === page ? 'Client, calls and lists' : sdkPageTitles[each],
    })),
    ...entries.map((entry) => ({ id: entry.name, title: names.labelOf(entry) })),
  ];
  const more = isFirst
    ? markup`Every name that <code>contribution-service-sdk</code> exports. <a href="${links.page('typescript-sdk')}">TypeScript SDK</a> shows how to install it and how to begin. The <a href="${links.page('reference')}">API reference</a> describes the parameters and the responses of each operation. The package also exports their types.`
    : markup`${purposes[page]} <a href="${links.page('sdk-reference')}">SDK reference</a> lists all names.`;
  const body = markup`<div class="row">
<div class="prose">
<h1>${title}</h1>
<p>${more}</p>
</div>
<div class="beside">${renderOutline(sections)}</div>
</div>
${indexes.map((each) => renderIndex(each, input, context, links))}
${entries.map((entry) => renderEntry(entry, context))}`;
  return { title, sections, body };
}
