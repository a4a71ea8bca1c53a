// Says whether a vendor can post its notices to an address: only over https, and never to a machine that we alone can reach.

import { say } from '../words.ts'

export function NoticeHint({ url }: { url: string }) {
  const is_reachable = new URL(url).protocol === 'https:'
  return (
    <p className={is_reachable ? 'hint' : 'fault'}>{say(is_reachable ? 'notice_url_words' : 'notices_unreachable')}</p>
  )
}
