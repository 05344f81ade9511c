/** Who goes after whom on the machine's cores: a part of `LocalLimits`, where their users find them. */
const second = 1000

/** `…Ms` are milliseconds, a `…Nice` is a niceness of Linux, what has no unit is a share. */
export const PriorityLimits = {
  // Who goes last (decision 21)
  /** By how much of niceness goes last: checks, builds, an app that died or whose request takes long. */
  lowNice: 5,
  /** By how much of its group's a build's session does, and for how long: then it is weighed as any other, so that what burns every core holds no build up until its time is over. */
  lowSessionNice: 10,
  lowSessionMs: 3 * second,
  /** How often that is tried where Linux takes it from others first. */
  lowSessionAgainMs: 1 * second,
  /** The share of its CPU time after which a request takes long. */
  appLowShare: 0.5
} as const
