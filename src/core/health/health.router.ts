import { Router } from 'express';

import { contextOf } from '../../http/request/request-context';
import { jsonBytes, sendJson } from '../../http/response/send-json';
import { ServiceError } from '../../shared/errors';
import type { HealthService } from './health.service';

/**
 * Mounted at /health. `/health/live` succeeds while the process responds: only a process that does
 * not respond needs a restart. `/health/ready` succeeds while the process can serve requests: it is
 * not shutting down, and the database is reachable, has the expected schema, has room and
 * confirms commits.
 * On a cluster it also reports the share of the tenants whose server responds. It succeeds while at
 * least one server responds, because the tenants of that server need this process.
 */
export function healthRouter(health: HealthService, version: string): Router {
  const router = Router({ caseSensitive: true });
  router.get('/live', async (_req, res) => {
    const context = contextOf(res);
    context.route = '/health/live';
    context.headers['Cache-Control'] = 'no-store';
    await sendJson(context, 200, jsonBytes({ status: 'live', version }, false));
  });
  router.get('/ready', async (_req, res) => {
    const context = contextOf(res);
    context.route = '/health/ready';
    const readiness = await health.readiness();
    if (readiness.code) {
      const { code, detail, cause } = readiness;
      throw new ServiceError(code, { detail, cause });
    }
    context.headers['Cache-Control'] = 'no-store';
    const { reachableShare } = readiness;
    const body =
      reachableShare === undefined
        ? { status: 'ready' }
        : { status: 'ready', reachable_tenants_share: Math.floor(reachableShare * 1_000) / 1_000 };
    await sendJson(context, 200, jsonBytes(body, false));
  });
  router.all(['/live', '/ready'], () => {
    throw new ServiceError('method_not_allowed', {
      detail: 'This path supports GET, HEAD.',
      headers: { Allow: 'GET, HEAD' },
    });
  });
  return router;
}
