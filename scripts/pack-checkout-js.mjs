// Writes the package @ripper/checkout-js: the ES module that loads checkout.js, with its types. `npm run pack:checkout-js`.

import { packNpm } from './pack-npm.mjs'

packNpm(
  {
    manifest: 'web/npm/package.json',
    readme: 'docs/checkout-js.md',
    config: 'web/tsconfig.json',
    source: 'web',
    entry: 'web/npm/index.ts',
    out: '.',
  },
  process.argv[2],
)
