// What browsers, banks and tools open besides the API: described nowhere, and to be as hard to break.

import type { Operation } from './document.ts'

const page = (method: string, path: string): Operation => ({
  name: `${method} ${path}`,
  method,
  path,
  door: 'open',
  query: [],
  keys: [],
  params: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!),
  takes_tag: false,
  takes_forms: true,
  responses: new Map(),
  success: 200,
  refusals: new Map(),
  body:
    method === 'POST'
      ? {
          type: 'object',
          properties: {
            threeDSMethodData: { type: 'string' },
            cres: { type: 'string' },
            threeDSSessionData: { type: 'string' },
            messageType: { type: 'string', enum: ['RReq'] },
            messageVersion: { type: 'string', enum: ['2.1.0', '2.2.0', '2.3.1'] },
            threeDSServerTransID: {
              type: 'string',
              enum: ['8a880dc0-d2d2-4067-bcb1-b08d1690b26e'],
            },
            acsTransID: { type: 'string' },
            dsTransID: { type: 'string' },
            transStatus: { type: 'string', enum: ['Y', 'N', 'A', 'U', 'R', 'x'] },
          },
        }
      : null,
})

export const pageOperations: Operation[] = [
  page('GET', '/3ds/method/{token}'),
  page('POST', '/3ds/method/{token}/done'),
  page('GET', '/3ds/challenge/{token}'),
  page('POST', '/3ds/challenge/{token}/result'),
  page('POST', '/3ds/results'),
  page('GET', '/pay/{handle}'),
  page('GET', '/docs'),
  page('GET', '/openapi.json'),
  page('GET', '/healthz'),
  page('GET', '/readyz'),
]
