// What the credentials file may hold of each connector that is not built in yet.

import { z } from 'zod'
import { apiUrl, secret } from '../vendors/credential-fields.ts'

export const threeDsecureIoCredentials = z.strictObject({ api_key: secret, api_url: apiUrl })
