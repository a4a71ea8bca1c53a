// What `ripper page check` cannot see. Its help and the inventory show the same list.

export const check_limits = [
  "It compares the card fields and the hosted page with the configuration that the same service gives. An attacker who controls the service, its database or the way to it can make both agree. It then does not see changed keys, prices, appearances and addresses. Only the publishable key or handle in the page's address comes from you.",
  'Without --origin it takes the origins that may frame a page from the page itself.',
  "It reads the page once, from one place, without cookies. It does not see what others get, what comes at another time, or what a browser's extension adds.",
  "It does not compare the texts in a page's markup, the demo shop's goods, the hosts of the price list's pictures, or the bank to which a challenge or 3DS Method is posted.",
  "It does not check the shop's own page around the frame. The shop has to do that.",
]
