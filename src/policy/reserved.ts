/** The rule of a decision that no policy made: nothing permitted the request, so it is blocked. */
export const DEFAULT_DENY = 'default-deny';
