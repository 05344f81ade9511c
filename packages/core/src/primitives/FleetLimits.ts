/** The bounds of what machines share. Others read them as `Limits`: they are part of those. */
const second = 1000
const minute = 60 * second

/** Each bound by its name, as in `Limits`. */
export const FleetLimits = {
  // The time of a store that machines share (decisions, "Clocks")
  /** How often it is measured, in how many readings, and how soon again after it moved. */
  storeTimeEveryMs: 10 * second,
  storeTimeReadings: 3,
  storeTimeAgainMs: 1 * second,
  /**
   * A difference that is more than the drift of clocks, and the most by which a reading may be wrong that shows whether
   * there is one; measurements in a row without one until it is relied on.
   */
  storeTimeMovedMs: 1 * second,
  storeTimeSteady: 2,

  // Notices between processes (decisions: what is longer is not told, others find it by looking)
  /** Of the topic of one, in UTF-8. */
  noticeTopicBytes: 1000,

  // Server processes that share a store (decisions: three notes may be lost until one counts as silent)
  /** How often a process says that it is there, and how long it waits for the store when it says that it ends. */
  processNoteMs: 15 * second,
  processLeaveMs: 1 * second,
  /** When one that says nothing counts as silent, and when it is forgotten. */
  processSilentMs: 1 * minute,
  processForgottenMs: 60 * minute,

  // Copies of an installation (decisions: what deletes waits so long for one that was cut off)
  /** How long a copy holds what it names unless it says so again, and how often it does. */
  copyHoldMs: 2 * minute,
  copyRenewMs: 20 * second,
  /** How long after it was held up what deletes looks again. */
  copyLookMs: 10 * second
} as const
