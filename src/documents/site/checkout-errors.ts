// The codes of checkout.js's own errors. Like the API's, each has a place in the reference that its `docs_url` leads to.

export const checkoutErrors = {
  network_error:
    'No answer came, after several tries. After confirm() the payment may have been taken: call confirm() again, which never charges twice.',
  frame_not_loaded:
    'The card fields did not come within 6 s. Is this page’s origin one of the integration’s allowed origins?',
  part_not_loaded: 'The second script, three-ds.js, could not be loaded.',
  element_not_found: 'No element of the page matches the selector that mount() was given.',
  not_mounted: 'confirm() was called before mount().',
  public_key_malformed: 'loadCheckout() was given something that is no publishable key (rip_pk_…).',
  client_secret_malformed: 'The client secret is not what the create answered.',
  session_missing: 'The card fields were asked for a card before the session was there.',
  script_not_loaded:
    'Only from the module @ripper/checkout-js: checkout.js did not come, or the page’s policy refused it.',
  not_in_browser: 'Only from the module @ripper/checkout-js: it was called on a server.',
}
