import type { Routes } from '../../../http/routes';
import { webhookEndpointsContract as contract } from './webhook-endpoints.contract';
import { presentEndpoint } from './webhook-endpoints.presenter';
import type { EndpointWithSecret, WebhookEndpointsService } from './webhook-endpoints.service';

/** The overlap of a rotation if the request states none. */
const defaultOverlapHours = 24;

const withSecret = ({ endpoint, secret }: EndpointWithSecret) => ({ ...presentEndpoint(endpoint), secret });

/** Adds the operations on endpoints to the API. */
export function webhookEndpointsRoutes(
  routes: Routes,
  publicBaseUrl: string,
  endpoints: WebhookEndpointsService,
): void {
  routes.bind(contract.create).to(async ({ principal, body, outside, addToLog }) => {
    const { url, types = [], description } = body;
    const created = await endpoints.create(principal.environmentId, { url, types, description }, outside);
    addToLog({ endpoint_id: created.endpoint.endpointId });
    return {
      status: 201,
      headers: { Location: `${publicBaseUrl}${contract.list.path}/${created.endpoint.endpointId}` },
      body: withSecret(created),
    };
  });

  routes.bind(contract.list).to(async ({ principal }) => ({
    status: 200,
    body: { data: (await endpoints.list(principal.environmentId)).map(presentEndpoint), has_more: false },
  }));

  routes.bind(contract.get).to(async ({ principal, params }) => ({
    status: 200,
    body: presentEndpoint(await endpoints.get(principal.environmentId, params.endpoint_id)),
  }));

  routes.bind(contract.change).to(async ({ principal, params, body, outside }) => {
    const { url, types, description } = body;
    const change = { url, types, description };
    const { environmentId } = principal;
    const changed = await endpoints.change(environmentId, params.endpoint_id, change, outside);
    return { status: 200, body: presentEndpoint(changed) };
  });

  routes.bind(contract.remove).to(async ({ principal, params }) => {
    await endpoints.delete(principal.environmentId, params.endpoint_id);
    return { status: 204 };
  });

  routes.bind(contract.rotateSecret).to(async ({ principal, params, body }) => {
    const hours = body.overlap_hours ?? defaultOverlapHours;
    const rotated = await endpoints.rotateSecret(principal.environmentId, params.endpoint_id, hours);
    return { status: 200, body: withSecret(rotated) };
  });

  routes.bind(contract.enable).to(async ({ principal, params }) => {
    const enabled = await endpoints.enable(principal.environmentId, params.endpoint_id);
    return { status: 200, body: presentEndpoint(enabled) };
  });

  routes.bind(contract.disable).to(async ({ principal, params }) => {
    const disabled = await endpoints.disable(principal.environmentId, params.endpoint_id);
    return { status: 200, body: presentEndpoint(disabled) };
  });
}
