// Tests that reach past the API into a server or a pool. On a cluster they would reach for another than the rows are on.

import { inject, test } from 'vitest'

/** As `test`, but skipped where the database is a cluster; see citus.ts. */
export const onOneServer = test.skipIf(inject('database').nodes.length > 0)
