// GET {pay_url}/{handle}/sessions/{session_id}: whether the hosted page of a shop may resume a session. A page under one shop's
// name must not take payments for another shop, even if somebody forges a link.

import type { Page, PageAnswer } from '../http/pages.ts'
import { findHosted } from '../merchants/public-account.ts'
import type { Context } from '../payments/context.ts'

export function hostedSessionPage(path: string): Page<Context> {
  return {
    method: 'GET',
    path: `${path}/{handle}/sessions/{session_id}`,
    handle: async ({ directory }, { params }) => {
      const publicAccount = await findHosted(directory, params.handle!)
      // The id carries its merchant, so the answer does not reveal whether the session exists.
      const merchant_id = await directory.merchantIdOfSession(params.session_id!)
      return publicAccount && publicAccount.account.merchant.merchant_id === merchant_id ? theirs : foreign
    },
  }
}

const theirs: PageAnswer = { status: 204, body: '', headers: {} }
const foreign: PageAnswer = { status: 404, body: '', headers: {} }
