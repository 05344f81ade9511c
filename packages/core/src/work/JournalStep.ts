/**
 * A step of a durable process, as a value: its name in the journal, and the schema of its result. What stands in the
 * journal may be from another version, so it is read by decoding. A name is never given to another result, nor a result
 * to another name: an older row would be read wrongly, or its work done twice.
 */
import { Effect, Schema } from "effect"
import type { Keeping } from "../ledger/Commit.ts"
import { inWords, shapeProblems, telling } from "../primitives/ShapeProblems.ts"

/**
 * The journal holds a result of this step that this version cannot read: another version wrote it, or the row is damaged.
 * Nothing was done. Trying again shows the same, so the command is a dead letter at once. The step is not run anew,
 * because a finished step is never repeated: Retry goes on where a version runs that can read it, and says this again
 * where none does. Dismiss ends what the dead letter stood for, as it does with every other.
 */
export class JournalUnreadable extends Schema.TaggedError<JournalUnreadable>()("JournalUnreadable", {
  /** The id of the command. */
  process: Schema.String,
  step: Schema.String,
  /** The first thing that does not fit, with its place in the result. */
  why: Schema.String
}) {
  override get message() {
    return `This version cannot read what the step ${this.step} of ${this.process} left in the journal: ${this.why}. Nothing of it was done again. Retry it with the version that wrote it, or dismiss it.`
  }
}

/** A step, and what it leaves behind. */
export interface JournalStep<A> {
  /** Unique in its process. */
  readonly name: string
  /** How its row is kept where nothing else is written with it. */
  readonly keeping: Keeping
  /** What the journal is given. A result that does not fit the schema is a defect. */
  readonly write: (result: A) => unknown
  /** What the journal of a process holds. */
  readonly read: (process: string, found: unknown) => Effect.Effect<A, JournalUnreadable>
}

/** Steps of one kind that a process may have several of, such as one for each check. */
export type JournalSteps<A> = (of: string | number) => JournalStep<A>

/** How the row of a step is kept. */
interface Kept {
  /**
   * `passing` for a step that may be done anew after a power cut, as after a kill before its row: nobody was told of its
   * result, and nothing outside was done with it, before a commit that lasts. Default: `lasting`.
   */
  readonly keeping?: Keeping
}

const shaped = <A, I>(schema: Schema.Codec<A, I>, { keeping = "lasting" }: Kept) => {
  const decode = Schema.decodeUnknownEffect(schema, telling)
  const write = Schema.encodeSync(schema)
  return (name: string): JournalStep<A> => ({
    name,
    keeping,
    write,
    read: (process, found) =>
      Effect.mapError(decode(found), (error) => {
        const [first] = shapeProblems(error)
        return new JournalUnreadable({ process, step: name, why: first === undefined ? error.message : inWords(first) })
      })
  })
}

/** The one step of this name. */
export const make = <A, I>(name: string, schema: Schema.Codec<A, I>, kept: Kept = {}): JournalStep<A> =>
  shaped(schema, kept)(name)

/** Steps named `<name>:<of>`. */
export const each = <A, I>(name: string, schema: Schema.Codec<A, I>, kept: Kept = {}): JournalSteps<A> => {
  const named = shaped(schema, kept)
  return (of) => named(`${name}:${of}`)
}
