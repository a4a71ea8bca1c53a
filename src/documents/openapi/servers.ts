// Where the described API is. Everybody runs a service of their own, so the address is a variable.

import type { Server } from './document.ts'

/** Without servers, generators make clients of `http://localhost`; of `/`, too, where they read a file. */
export const servers: Server[] = [
  {
    url: '{base_url}',
    description: 'Your own service',
    variables: {
      base_url: {
        default: 'http://127.0.0.1:8080',
        description: 'Its RIPPER_BASE_URL, without a slash at the end. The default is where `npm start` serves.',
      },
    },
  },
]
