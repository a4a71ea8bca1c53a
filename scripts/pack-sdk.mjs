// Writes the package @ripper/node: the client of the API, with its types. `npm run pack:sdk`.

import { packNpm } from './pack-npm.mjs'

packNpm(
  {
    manifest: 'sdk/package.json',
    readme: 'sdk/README.md',
    config: 'sdk/tsconfig.json',
    source: 'sdk/src',
    entry: 'sdk/src/index.ts',
    out: 'lib',
  },
  process.argv[2],
)
