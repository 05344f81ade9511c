/** Every bound of the NATS adapter, with its unit at the end of its name and its source beside it. */
const KiB = 1024
const second = 1000

/** The bounds themselves; `…Ms` are milliseconds, `…Bytes` bytes, what has no unit is a count. */
export const NatsLimits = {
  // Notices over NATS (decisions: what one process may keep in memory)
  /** Topics that wait while there is no connection; beyond them the others' polling must do. */
  natsTopicsKept: 10_000,
  /** Topics of one message, of which one is on its way at a time. */
  natsTopicsAtOnce: 50,
  /** Of one message: more than its topics and its sender can have. A server of NATS lets 1 MiB through by default. */
  natsMessageBytes: 50 * KiB,
  /** Servers that one option names. */
  natsServers: 16,

  // Notices over NATS (decisions: how long it is waited for)
  /** Until one server is connected, or given up for now. */
  natsConnectMs: 2 * second,
  /** How long a start waits for the first try, of however many servers. */
  natsStartMs: 3 * second,
  /** How often a connection is asked whether it is there, and how many answers may be owed: below the 10 s that a router remembers. */
  natsHeartbeatMs: 3 * second,
  natsHeartbeatsOwed: 2,
  /** How long after a connection was lost it is made anew, and the most that this grows to while it fails. About half of it is chance. */
  natsRetryMs: 250,
  natsRetryMostMs: 5 * second,
  /** Until what `pawl doctor` tells itself is heard. */
  natsTrialMs: 5 * second
} as const
