// Where the service of a simulated world is found.

export const base_url = 'http://ripper.test'
