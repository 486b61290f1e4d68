import { Router } from 'express';

import { contextOf } from '../../http/request/request-context';
import { jsonBytes, sendJson } from '../../http/response/send-json';
import { ServiceError } from '../../shared/errors';
import type { HealthService } from './health.service';

/**
 * Mounted at /health. `/health/live`: this process runs and answers; restarting it would not help.
 * `/health/ready`: it also reaches a database whose schema it knows and that confirms commits, and
 * is not shutting down; send it requests.
 */
export function healthRouter(health: HealthService): Router {
  const router = Router({ caseSensitive: true });
  router.get('/live', async (req, res) => {
    const context = contextOf(res);
    context.route = '/health/live';
    context.headers['Cache-Control'] = 'no-store';
    await sendJson(req, res, 200, jsonBytes({ status: 'live' }, false));
  });
  router.get('/ready', async (req, res) => {
    const context = contextOf(res);
    context.route = '/health/ready';
    const readiness = await health.readiness();
    if (readiness.code) {
      const { code, detail, cause } = readiness;
      throw new ServiceError(code, { detail, cause });
    }
    context.headers['Cache-Control'] = 'no-store';
    await sendJson(req, res, 200, jsonBytes({ status: 'ready' }, false));
  });
  router.all(['/live', '/ready'], () => {
    throw new ServiceError('method_not_allowed', {
      detail: 'This path supports GET, HEAD.',
      headers: { Allow: 'GET, HEAD' },
    });
  });
  return router;
}
