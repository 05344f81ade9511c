/**
 * Every bound of this package, by name, with its unit in the name and its source beside it. Those that others share stand
 * in core's `Limits`. "Specification" is the table "Limits" of the specification; "decisions" are Pawl's own choices.
 */
const KiB = 1024
const MiB = 1024 * KiB
const second = 1000
const minute = 60 * second

export const ServerLimits = {
  // git over HTTP (decisions: a push is bounded as the files of one API call are)
  /** How much of a push that is too large is read on, so that its sender is told so. */
  gitDiscardBytes: 64 * MiB,
  /** What a clone or a fetch may ask in one request. */
  gitFetchBytes: 1 * MiB,
  /** Requests that are worked on at once: of one caller, and of all. */
  gitRequestsPerCaller: 4,
  gitRequestsAtOnce: 16,
  /** The newest ChangeSets of a Project, out of which a fetch is shown the caller's own. */
  gitChangeSetsShown: 50,

  // Commands (specification: 1 to 5 retries; leases and backoff are decisions)
  /** Commands that one process works on at a time, by lane; a Project that has none in a full lane may go beyond, up to twice as many (decisions). */
  canonicalSlots: 4,
  verificationSlots: 4,
  provisioningSlots: 2,
  /** As many as one Change may have agents at work. */
  agentSlots: 8,
  /** How long a stopping server lets requests end; all of it must be over within 10 s (decisions, "Running it"). */
  drainMs: 5 * second,
  /** When a stopping server leaves whatever still hangs (same source). */
  stopMs: 9 * second,

  // Events and webhooks (decisions)
  /** Deliveries that one process makes at a time: the slots of their lane. */
  webhooksAtOnce: 8,

  // Whether it is ready (decisions: anyone may ask, as often as they like)
  /** How long what holds the state may take to say that it is there. */
  readyAskMs: 2 * second,
  /** How old an answer may be. */
  readyAgeMs: 1 * second,

  // API (decisions)
  bodyBytes: 1 * MiB,
  requestsPerMinute: 600,
  /** The span that `requestsPerMinute` counts in. */
  rateWindowMs: minute,
  /** Callers whose requests are counted at once; beyond, the longest quiet ones are forgotten. */
  rateCallers: 10_000,
  /** Of one evidence row's output in a list of evidence; the whole is at `/v1/evidence/:id/output`. */
  evidenceOutputBytes: 64 * KiB,
  /** An open event stream says so this often when there is nothing to tell, and looks whether its reader may still read. */
  eventHeartbeatMs: 15 * second,
  eventStreamsPerCaller: 20,
  /** How long an open stream trusts that its reader may read before it tells the next item (decision: as the rights of others end). */
  eventTrustMs: 1 * second,

  // Telemetry (decisions: spans that wait beyond the first bound are dropped and counted)
  spansWaiting: 10_000,
  spansAtOnce: 500,
  spansEveryMs: 2 * second,
  /** How long a collector may take for one batch, and how long it is waited for at the end. */
  spanSendMs: 10 * second,
  spanFlushMs: 2 * second,
  /** The longest pause before a collector that did not answer is asked again. */
  spanRetryMs: 1 * minute,
  /** How old queue depth and event lag may be that a scrape is told. */
  backlogAgeMs: 5 * second,
  backlogReadMs: 5 * second
} as const
