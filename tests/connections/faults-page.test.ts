// The page about faults shows the rows that the tests run.

import { expect, test } from 'vitest'
import { faultPage } from '../support/fault-rows.ts'

test('docs/connect/faults.md is up to date: vitest -u tests/connections/faults-page.test.ts writes it', async () => {
  await expect(faultPage()).toMatchFileSnapshot('../../docs/connect/faults.md')
})
