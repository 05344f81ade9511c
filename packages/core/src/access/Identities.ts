/** Who a subject of a provider of identities is here: the same user each time, a new one the first time. */
import { Effect } from "effect"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, find } from "../ledger/Decision.ts"
import { InvalidField } from "../ledger/Refusals.ts"
import type { User } from "../model/Membership.ts"
import type { Identity } from "../model/SignIn.ts"
import { sha256 } from "../primitives/Digest.ts"
import { makeUuid } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { checkName } from "./Names.ts"

/** What a provider says of whom it let in. */
export interface Subject {
  /** The provider, as `iss` names it. */
  readonly issuer: string
  /** Who it is there, as `sub` names them. Never given to anybody else. */
  readonly subject: string
  /** What they call themselves, in order of preference. One that cannot be a name here is passed over. */
  readonly names: ReadonlyArray<string>
}

const nameOf = Effect.fnUntraced(function* ({ names, subject }: Subject) {
  for (const name of [...names.map((each) => each.trim().slice(0, Limits.userNameLength)), subject])
    if (
      yield* Effect.match(checkName("name", name, Limits.userNameLength), {
        onFailure: () => false,
        onSuccess: () => true
      })
    )
      return name
  return "Somebody"
})

/**
 * The user that a subject is here. A new subject becomes a user who is a member of nothing: owners give them their place.
 * Fails with `InvalidField` for a subject that is none.
 */
export const userOf = Effect.fnUntraced(function* (given: Subject) {
  const { issuer, subject } = given
  if (subject === "" || subject.length > Limits.subjectLength)
    return yield* new InvalidField({
      code: "invalid_subject",
      field: "sub",
      reason: `a subject has 1 to ${Limits.subjectLength} characters`
    })
  // No issuer has a line break in it.
  const hash = yield* sha256(`${issuer}\n${subject}`)
  return yield* decideAndCommit(
    Effect.gen(function* () {
      const known = yield* find("identity", hash)
      if (known !== null) return { answer: known.record.userId }
      const createdAt = yield* Time.now
      const user: User = { id: `usr_${yield* makeUuid}`, name: yield* nameOf(given), createdAt }
      const identity: Identity = { hash, issuer, subject, userId: user.id, createdAt }
      const writes = [Commit.insert("identity", identity), Commit.insert("user", user)]
      return { answer: user.id, commit: { name: "Identities.userOf", projectId: null, writes } }
    })
  )
}, Effect.withSpan("Identities.userOf"))
