/** Dead letters: what becomes of one is a person's decision, and what it stood for follows. */
import { Effect, Schema } from "effect"
import type { Actor } from "../access/Actor.ts"
import { abandon } from "../change/Compiling.ts"
import { giveUp as giveUpVerification } from "../candidate/GivingUp.ts"
import { demandActive, goesOn } from "../project/Archived.ts"
import { giveUp as giveUpPromotion } from "../promotion/Promotions.ts"
import { retryDead } from "../task/Tasks.ts"
import { Commands } from "./Commands.ts"
import type { DeadLetter } from "./Command.ts"

const subjectOf = (letter: DeadLetter, field: "taskId" | "changeId" | "candidateId"): Effect.Effect<string> =>
  Effect.orDie(Schema.decodeUnknown(Schema.String)(letter.payload[field]))

/**
 * Queues a dead letter again, with its tries restored, and answers it as it was. The Task of a wake is ready again.
 * Fails with `ProjectArchived` for what an archived Project does no more: such a letter can be dismissed.
 *
 * The Task moves first: if this ends half-way, retrying the letter that still lies there does the rest.
 */
export const retry = (actor: Actor, id: string) =>
  Effect.gen(function* () {
    const commands = yield* Commands
    const letter = yield* commands.deadLetter(id)
    if (letter.projectId !== null && !goesOn.includes(letter.kind)) yield* demandActive(letter.projectId)
    if (letter.kind === "agent.wake") yield* retryDead(actor, yield* subjectOf(letter, "taskId"))
    yield* commands.retry(id)
    return letter
  }).pipe(Effect.withSpan("DeadLetters.retry"))

/**
 * Forgets a dead letter, and answers it. What it stood for comes to an end, so that nothing waits for it: a Change that
 * was being planned fails, a Candidate that was being verified is rejected and may be asked for again, a Change that
 * was being promoted goes back. A Task stays blocked.
 */
export const dismiss = (actor: Actor, id: string) =>
  Effect.gen(function* () {
    const commands = yield* Commands
    const letter = yield* commands.deadLetter(id)
    if (letter.kind === "change.dispatch") yield* abandon(actor, yield* subjectOf(letter, "changeId"))
    if (letter.kind === "candidate.create") yield* giveUpVerification(actor, yield* subjectOf(letter, "candidateId"))
    if (letter.kind === "candidate.promote") yield* giveUpPromotion(yield* subjectOf(letter, "candidateId"))
    yield* commands.dismiss(id)
    return letter
  }).pipe(Effect.withSpan("DeadLetters.dismiss"))
