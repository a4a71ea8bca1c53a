// The table that all packages pass, for those whose languages few machines have. tests/sdk/vectors.test.ts has the others.

import { describe } from 'vitest'
import { go, php } from '../support/package-driver.ts'
import { judgeVectors } from '../support/package-vectors.ts'

for (const { name, missing, open } of [php, go]) {
  describe.skipIf(missing)(missing ? `${name} ${missing}` : name, () => judgeVectors(open))
}
