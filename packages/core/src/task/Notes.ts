/** Notes that people write for the agent of a Task, who reads them at its next turn. */
import { Effect, Schema } from "effect"
import type { Actor } from "../model/Actor.ts"
import type { Note } from "../model/Note.ts"
import { decideAndCommit } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import { Records } from "../ledger/Records.ts"
import { InvalidField } from "../ledger/Refusals.ts"
import { makeUlid } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { openTask } from "./Interventions.ts"

/** The Task has as many notes as one may have: all of them are read to its model, turn by turn. */
export class NoteLimit extends Schema.TaggedError<NoteLimit>()("NoteLimit", { max: Schema.Finite }) {
  override get message() {
    return `This Task has its ${this.max} notes. Take it over yourself, or stop it.`
  }
}

/** All notes of a Task, oldest first: at most `Limits.notesPerTask`. */
export const notesOf = (taskId: string) =>
  Effect.flatMap(Records, (records) => records.list("note", { where: { taskId }, limit: "all" })).pipe(
    Effect.map(({ items }): ReadonlyArray<Note> => items.map((each) => each.record))
  )

/**
 * Writes a note for the agent of an open Task; whoever works it next reads it too. Each call writes one. Fails with
 * `InvalidField`, `NoteLimit`, `TaskClosed`, `ChangeClosed`, `ProjectArchived` or `Unknown`.
 */
export const write = (author: Actor, taskId: string, text: string) =>
  decideAndCommit(
    Effect.gen(function* () {
      if (text.trim() === "" || text.length > Limits.noteLength)
        return yield* new InvalidField({
          code: "invalid_field",
          field: "text",
          reason: `use 1 to ${Limits.noteLength} characters`
        })
      const { task, unarchived } = yield* openTask(taskId)
      const { changeId, projectId } = task.record
      if ((yield* notesOf(taskId)).length >= Limits.notesPerTask)
        return yield* new NoteLimit({ max: Limits.notesPerTask })
      const now = yield* Time.now
      const draft = Draft.begin(projectId, author, now)
      const note: Note = {
        id: `note_${yield* makeUlid}`,
        projectId,
        changeId,
        taskId: task.record.id,
        author,
        text,
        createdAt: now
      }
      Draft.expect(draft, unarchived)
      // Of two at once the second counts the first, and none is written for a Task that ends meanwhile.
      Draft.update(draft, "task", task, {})
      Draft.insert(draft, "note", note)
      return { answer: note, commit: Draft.end(draft, { name: "Notes.write" }) }
    })
  ).pipe(Effect.withSpan("Notes.write"))
