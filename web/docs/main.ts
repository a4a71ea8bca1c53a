// The documentation's own script: search, the contents on a small screen, and where in the side list the reader is.

import { showOwnAddress } from './address.ts'
import { foldContents, followReader, openContents } from './contents.ts'
import { copyCode } from './copy.ts'
import { search } from './search.ts'

showOwnAddress()
openContents()
foldContents()
copyCode()
search()
followReader()
