// Sessions and events at the dashboard: the public lists behind the second door.

import { listEvents } from '../../checkout/reading/list-events.ts'
import { listSessions } from '../../checkout/reading/list-sessions.ts'
import { signedIn } from '../../users/signed-in.ts'
import { behind } from '../behind.ts'
import { showEvents, showShoppers } from '../shoppers.ts'

const reading = signedIn('read_transactions')

export const listSessionsHere = behind(reading, listSessions, showShoppers)
export const listEventsHere = behind(reading, listEvents, showEvents)
