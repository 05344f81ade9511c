/** A note of a person for the agent of a Task. */
import { Schema } from "effect"
import { ChangeId, NoteId, ProjectId, TaskId } from "../primitives/Ids.ts"
import { Timestamp } from "../primitives/Time.ts"
import { Actor } from "./Actor.ts"

/** What a person wants an agent to know. It is read at the agent's next turn, and never changed. */
export const Note = Schema.Struct({
  /** `note_<ULID>`. */
  id: NoteId,
  /** The Project that it is of. */
  projectId: ProjectId,
  /** The Change of its Task. */
  changeId: ChangeId,
  /** The Task whose agent is to read it, in this run and in later ones. */
  taskId: TaskId,
  /** Who wrote it. */
  author: Actor,
  /** 1 to `Limits.noteLength` characters. */
  text: Schema.String,
  /** When it was written. */
  createdAt: Timestamp
})
export interface Note extends Schema.Schema.Type<typeof Note> {}
