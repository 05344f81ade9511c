/**
 * Dead letters of the directory: work that belongs to no Project yet, or to the whole installation. Owners look after
 * them. One that provisions a Project is the Project's organization's; the others (sweeps, audits of all Projects) are
 * the first organization's, which is that of whoever runs the installation. Anybody may make an organization and own it:
 * that shows them nothing of another.
 */
import { Effect, Option, Schema } from "effect"
import { InsufficientRole } from "../access/Access.ts"
import { firstOrganizationId } from "../access/Organizations.ts"
import { Records } from "../ledger/Records.ts"
import { Limits } from "../primitives/Limits.ts"
import type { DeadLetter } from "../model/Command.ts"
import { Commands, type LetterPage } from "../work/Commands.ts"

const OfProject = Schema.decodeUnknownOption(
  Schema.Struct({ project: Schema.Struct({ organizationId: Schema.String }) })
)

/** The organization whose owners look after a dead letter of the directory. */
export const organizationOf = (letter: DeadLetter): string =>
  Option.match(OfProject(letter.payload), {
    onNone: () => firstOrganizationId,
    onSome: ({ project }) => project.organizationId
  })

/** Some dead letters, and where to go on. */
export interface LetterListing {
  readonly items: ReadonlyArray<DeadLetter>
  /** There may be more after this one; null at the end. */
  readonly next: DeadLetter | null
}

/** A page of one scope's letters: a Project's, or (null) all of the directory. */
export const listOf = Effect.fnUntraced(function* (projectId: string | null, page: LetterPage) {
  const commands = yield* Commands
  const items = yield* commands.deadLetters(projectId, page)
  const last = items.at(-1)
  const more =
    last === undefined || items.length < (page.limit ?? Limits.pageSize)
      ? []
      : yield* commands.deadLetters(projectId, { after: last, limit: 1 })
  return { items, next: more.length === 0 ? null : (last ?? null) } satisfies LetterListing
})

/** The directory's letters that a user looks after, a page at a time. Fails with `InsufficientRole` for who owns nothing. */
export const listFor = Effect.fnUntraced(function* (userId: string, page: LetterPage) {
  const records = yield* Records
  const places = yield* records.list("organizationMember", { where: { userId }, limit: "all" })
  const owned = places.items.flatMap(({ record }) => (record.role === "owner" ? [record.organizationId as string] : []))
  if (owned.length === 0) return yield* new InsufficientRole({ held: "member", needed: "owner" })
  const limit = Math.min(page.limit ?? Limits.pageSize, Limits.pageSize)
  const items: Array<DeadLetter> = []
  let after = page.after
  for (;;) {
    const found = yield* listOf(null, { limit: limit - items.length, ...(after === undefined ? {} : { after }) })
    items.push(...found.items.filter((letter) => owned.includes(organizationOf(letter))))
    if (found.next === null || items.length >= limit) return { items, next: found.next } satisfies LetterListing
    after = found.next
  }
})
