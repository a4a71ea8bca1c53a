// The secret of Standard Webhooks, shown beside the signing secret of an endpoint that has both.

import { say } from '../words.ts'

export function standardSecret({ standard_signing_secret: text }: { standard_signing_secret?: string | undefined }) {
  return text === undefined ? null : { label: say('standard_signing_secret'), text }
}
