/** What is asked of a registry and how it answers, whatever carries the question. */
import { type Effect, Schema } from "effect"
import { LocalLimits } from "../LocalLimits.ts"

/** No whole answer came, or none of a kind that can be read. The next may be better, unless it is `lasting`. */
export class NotAnswered extends Schema.TaggedError<NotAnswered>()("NotAnswered", {
  /** As words go on after "the registry". */
  reason: Schema.String,
  lasting: Schema.Boolean
}) {
  override get message() {
    return `the registry ${this.reason}`
  }
}

/** The answer is larger than anything that was asked for, or leads where nobody may go. */
export class Misled extends Schema.TaggedError<Misled>()("Misled", {
  /** A word for programs. */
  code: Schema.String,
  /** As words go on after "the registry". */
  reason: Schema.String
}) {
  override get message() {
    return `the registry ${this.reason}`
  }
}

/** Takes an answer in pieces, as they come. Throws an `Error` whose words go on after "what the registry says". */
export interface Intake {
  readonly write: (piece: Uint8Array) => void
}

/** What is asked. */
export interface RegistryQuestion {
  readonly url: URL
  /** The form of the answer that is asked for. */
  readonly accept: string
  /** Whether it may be sent packed. What is packed already is not packed again. */
  readonly mayBePacked: boolean
  /** The most of the answer that is read, as it is sent and unpacked. */
  readonly maxBytes: number
  /** JSON, packed by gzip, for a POST; null for a GET. */
  readonly body: Uint8Array | null
  /** What takes the answer, anew for each try; null where it is to be had whole. */
  readonly into: (() => Intake) | null
}

/** An answer that came whole. Only what came with 200 has its body, and only when nothing else took it. */
export interface RegistryAnswer {
  readonly status: number
  readonly location: string | null
  readonly body: Uint8Array
}

/** Bounds on time, in milliseconds, as `LocalLimits` has them. */
export interface RegistryTimes {
  readonly connectMs: number
  readonly firstByteMs: number
  readonly pauseMs: number
  readonly wholeMs: number
}

/** The times of `LocalLimits`. */
export const registryTimes: RegistryTimes = {
  connectMs: LocalLimits.registryConnectMs,
  firstByteMs: LocalLimits.registryFirstByteMs,
  pauseMs: LocalLimits.registryPauseMs,
  wholeMs: LocalLimits.registryWholeMs
}

/** Sends one question and reads its answer, whatever the status. It follows nothing and asks once. */
export type RegistryLine = (question: RegistryQuestion) => Effect.Effect<RegistryAnswer, NotAnswered | Misled>
