/** Dead letters: what becomes of one is a person's decision, and what it stood for follows. */
import { Effect, Schema } from "effect"
import { type Actor, system } from "../model/Actor.ts"
import { abandon } from "../change/Compilation.ts"
import { lookAgain } from "../lane/LaneControl.ts"
import { giveUp as giveUpVerification } from "../candidate/Abandonment.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { demandActive, kindsAfterArchive } from "../project/ArchivedProject.ts"
import { giveUp as giveUpProject } from "../project/UnfinishedProject.ts"
import { Project } from "../model/Project.ts"
import { giveUp as giveUpPromotion } from "../promotion/LostPromotion.ts"
import { retryDead } from "../task/Tasks.ts"
import { Commands } from "../work/Commands.ts"
import type { DeadLetter } from "../model/Command.ts"
import { revive } from "../webhook/Deliveries.ts"

const subjectOf = (
  letter: DeadLetter,
  field: "taskId" | "changeId" | "candidateId" | "deliveryId"
): Effect.Effect<string> => Effect.orDie(Schema.decodeUnknownEffect(Schema.String)(letter.payload[field]))

const projectOf = (letter: DeadLetter) =>
  Effect.orDie(Schema.decodeUnknownEffect(Schema.Struct({ project: Project }))(letter.payload))

/**
 * Queues a dead letter again, with its tries restored, and answers it as it was. The Task of a wake is ready again.
 * Fails with `ProjectArchived` for what an archived Project does no more: such a letter can be dismissed.
 *
 * The Task moves first: if this ends half-way, retrying the letter that still lies there does the rest.
 */
export const retry = Effect.fnUntraced(function* (actor: Actor, id: string) {
  const commands = yield* Commands
  const letter = yield* commands.deadLetter(id)
  if (letter.projectId !== null && !kindsAfterArchive.includes(letter.kind)) yield* demandActive(letter.projectId)
  if (letter.kind === "agent.wake") yield* retryDead(actor, yield* subjectOf(letter, "taskId"))
  if (letter.kind === "webhook.deliver" && "deliveryId" in letter.payload)
    yield* revive(yield* subjectOf(letter, "deliveryId"))
  yield* commands.retry(id)
  return letter
}, Effect.withSpan("DeadLetters.retry"))

/**
 * Forgets a dead letter, and answers it. What it stood for comes to an end, so that nothing waits for it: a Change that
 * was being planned fails, a Candidate that was being verified is rejected and may be asked for again, a Change that
 * was being promoted goes back, a Project that was being provisioned is archived. A Task stays blocked. A lane looks at
 * its line anew: nobody else may come for whom it would.
 */
export const dismiss = Effect.fnUntraced(function* (actor: Actor, id: string) {
  const commands = yield* Commands
  const letter = yield* commands.deadLetter(id)
  if (letter.kind === "change.dispatch") yield* abandon(actor, yield* subjectOf(letter, "changeId"))
  if (letter.kind === "candidate.create") yield* giveUpVerification(actor, yield* subjectOf(letter, "candidateId"))
  if (letter.kind === "candidate.promote") yield* giveUpPromotion(yield* subjectOf(letter, "candidateId"))
  if (letter.kind === "project.provision") yield* giveUpProject(actor, (yield* projectOf(letter)).project)
  if (letter.kind === "lane.step" && letter.projectId !== null) yield* lookAgain(letter.projectId)
  yield* commands.dismiss(id)
  return letter
}, Effect.withSpan("DeadLetters.dismiss"))

/**
 * Dismisses a page of the dead letters that nobody looked after within `Limits.deadLetterDays`, as a person would.
 * Answers whether there may be more. One that cannot be ended in order is forgotten all the same, and the log says so.
 */
export const dismissOld = Effect.gen(function* () {
  const commands = yield* Commands
  const before = Time.fromMillis((yield* Time.nowMillis) - Limits.deadLetterDays * Time.dayMs)
  const letters = yield* commands.oldLetters(before, Limits.pageSize)
  for (const { id } of letters)
    yield* dismiss(system("retention"), id).pipe(
      Effect.catchTags({
        // Somebody was faster, or what it was about is gone.
        DeadLetterMissing: () => Effect.void,
        Unknown: () => Effect.ignore(commands.dismiss(id))
      }),
      Effect.catchDefect((defect) =>
        Effect.andThen(
          Effect.logWarning("a dead letter was forgotten without its end", defect),
          Effect.catchTag(commands.dismiss(id), "DeadLetterMissing", () => Effect.void)
        )
      )
    )
  return letters.length === Limits.pageSize
}).pipe(Effect.withSpan("DeadLetters.dismissOld"))

/** Forgets every dead letter of an archived Project, whose work has ended by then. */
export const forgetAll = Effect.fnUntraced(function* (projectId: string) {
  const commands = yield* Commands
  for (;;) {
    const letters = yield* commands.deadLetters(projectId)
    if (letters.length === 0) return
    for (const { id } of letters) yield* Effect.catchTag(commands.dismiss(id), "DeadLetterMissing", () => Effect.void)
  }
})
