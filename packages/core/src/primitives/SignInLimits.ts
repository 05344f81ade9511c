/** The bounds of how people sign in. Others read them as `Limits`: they are part of those. */
const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** Each bound by its name, as in `Limits`. */
export const SignInLimits = {
  // Sessions (decisions: 256 random bits; idle 12 hours; at most 7 days)
  sessionBytes: 32,
  sessionIdleMs: 12 * hour,
  sessionMaxMs: 7 * 24 * hour,
  /** How long a session's last use stays as it was written: reads are not to write each time. */
  sessionSeenMs: 5 * minute,
  /** One more ends the one that was used least lately. */
  sessionsPerUser: 20,
  /** Of what a browser says of itself, in characters. */
  userAgentLength: 256,

  // Codes that are used once (decisions: a link lives 10 minutes, what a provider is asked with as long)
  signInCodeBytes: 32,
  signInCodeMs: 10 * minute,
  /** Ended codes that making one more takes away. */
  signInCodesSwept: 8,

  // Devices (RFC 8628: a code that a person types; 8 characters of 20 are its example)
  deviceCodeMs: 10 * minute,
  devicePollMs: 5 * second,
  userCodeLength: 8,
  deviceNameLength: 100,

  // Identities of a provider (OpenID Connect Core 1.0, 2: a subject has at most 255 ASCII characters)
  subjectLength: 255
} as const
