import { Router } from 'express';

import { sendJson } from '../../http/send-json';
import { ServiceError } from '../../shared/errors';
import type { HealthService } from './health.service';

/**
 * `/health/live`: this process runs and answers; restarting it would not help.
 * `/health/ready`: it also reaches a database whose schema it knows, and is not shutting down; send it requests.
 */
export function healthRouter(health: HealthService): Router {
  const router = Router({ caseSensitive: true });
  router.get('/health/live', async (req, res) => {
    res.setHeader('Cache-Control', 'no-store');
    await sendJson(req, res, { status: 'live' });
  });
  router.get('/health/ready', async (req, res) => {
    const readiness = await health.readiness();
    if (readiness.code) {
      const { code, detail, cause } = readiness;
      throw new ServiceError(code, { detail, cause });
    }
    res.setHeader('Cache-Control', 'no-store');
    await sendJson(req, res, { status: 'ready' });
  });
  router.all(['/health/live', '/health/ready'], () => {
    throw new ServiceError('method_not_allowed', {
      detail: 'This path has the methods GET, HEAD.',
      headers: { Allow: 'GET, HEAD' },
    });
  });
  return router;
}
