// The documentation's own script: search, the contents on a small screen, and where in the side list the reader is.

import { followReader, openContents } from './contents.ts'
import { search } from './search.ts'

openContents()
search()
followReader()
