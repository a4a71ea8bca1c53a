// The table that all packages pass, for Node's and, where it is here, Python's. `npm run packages` has the others.

import { describe } from 'vitest'
import { node, python } from '../support/package-driver.ts'
import { judgeVectors } from '../support/package-vectors.ts'

for (const { name, missing, open } of [node, python]) {
  describe.skipIf(missing)(missing ? `${name} ${missing}` : name, () => judgeVectors(open))
}
