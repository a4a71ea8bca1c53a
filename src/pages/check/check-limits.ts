// What `ripper page check` cannot see, for whoever relies on it: its help and the inventory say it alike.

export const check_limits = [
  "The card fields and the hosted page are compared with the configuration that the same service answers with. Whoever serves both, as somebody does who has taken over the service, its database or the way to it, can make them agree: such a change of keys, prices, looks and addresses is not seen. Only the publishable key or handle in the page's address is yours.",
  'Without --origin the origins that may frame a page are those that the page names itself.',
  "The page is read once, from one place, without cookies. What is served to others, or at another time, or added by a browser's extension, is not seen.",
  "The texts that stand in a page's markup, the demo shop's goods, the hosts of the price list's pictures and the bank that a challenge or 3DS Method is posted to are not compared.",
  "A shop's own page around the frame is the shop's to check.",
]
