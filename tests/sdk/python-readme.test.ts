// The package for Python as a shop has it: installed without a network, and each block of its README tried.

import { describe } from 'vitest'
import { python } from '../support/package-driver.ts'
import { judgeReadme } from '../support/package-readmes.ts'

const calling = `
import os, sys
receive(sys.stdin.buffer.read(), {"rip-signature": os.environ["HTTP_RIP_SIGNATURE"]})
`

describe.skipIf(python.missing)(python.missing ? `Python ${python.missing}` : 'the README for Python', () => {
  judgeReadme({
    folder: 'python',
    before: `python3 -m venv home && PATH="$PWD/home/bin:$PATH"
export PIP_NO_INDEX=1 PIP_DISABLE_PIP_VERSION_CHECK=1`,
    file: 'shop.py',
    around: (block, name) => (name === 'webhook' ? block + calling : block),
    run: 'touch body; home/bin/python shop.py < body',
  })
})
