// Makes the driver's connections to one server.
//
// By itself the driver tries again, at once and for ever, where a connection is taken and closed before anything is said on it: so
// does a proxy that has no server behind it. Nobody would hear of that.

import { connect, type Socket } from 'node:net'

/** Begins to connect. The driver looks at the host where it needs the name of the server. */
export function dial(server: { host: string; port: number }): Socket {
  const socket = connect(server)
  socket.on('end', () => {
    // Later the driver must be left to it: of what is sent between the error and the close it would never tell.
    if (socket.bytesRead > 0) return
    const error = new Error('the server closed the connection')
    socket.destroy(Object.assign(error, { code: 'CONNECTION_CLOSED' }))
  })
  return Object.assign(socket, server)
}
