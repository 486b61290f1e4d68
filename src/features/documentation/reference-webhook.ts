import { anchor } from './layout';
import { type Markup, markup, withCode } from '../../shared/markup';
import type { Resolve } from './openapi-schema';
import type { Operation } from './reference-context';
import { example, exampleOf, renderBody, renderParameters } from './reference-operation';

export const idOfWebhook = (type: string): string => `webhook-${type.replaceAll('.', '-')}`;

/** A request that the service sends to receivers. */
export function renderWebhook(
  type: string,
  webhook: Operation & { summary: string; description: string },
  resolve: Resolve,
): Markup {
  const id = idOfWebhook(type);
  const [media] = Object.values(webhook.requestBody?.content ?? {});
  return markup`<section class="operation row chapter" aria-labelledby="${id}">
<div class="prose explained">
<h2 id="${id}"><code>${type}</code>${anchor(id, type)}</h2>
<p>${withCode(`${webhook.summary}. ${webhook.description}`)}</p>
<details><summary>Headers</summary>${renderParameters(webhook.parameters ?? [], resolve)}</details>
${renderBody(webhook, resolve)}
</div>
<div class="beside examples">
${example('Request body', exampleOf(media))}
</div>
</section>
`;
}
