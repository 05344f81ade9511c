/** `pawl approve --enroll`: makes an approver's key and enrols it, or endorses somebody else's as an owner. */
import type { Assertion } from "@pawl/core/model/Approver"
import { enrolmentText } from "@pawl/core/provenance/ApprovalText"
import { Effect, Option } from "effect"
import { Problem } from "../../api/Problem.ts"
import {
  type ApproverKey,
  demandApproverKey,
  makeApproverKey,
  publicLine,
  type PublicPasskey,
  readApproverKey,
  readPublicLine
} from "../approver/ApproverKey.ts"
import { assertionOf } from "../approver/Authenticator.ts"
import { saysYes } from "../approver/Consent.ts"
import { addressOf, asking, CannotAsk, type RemoteOptions } from "./Remote.ts"

interface Enrolling {
  /** Of the key file. */
  readonly path: string
  readonly server: RemoteOptions
  readonly yes: boolean
  readonly endorsedBy: Option.Option<string>
  readonly public: Option.Option<string>
  readonly for: Option.Option<string>
  readonly origin: Option.Option<string>
  readonly rpId: Option.Option<string>
}

const cannot = (reason: string) => new CannotAsk({ reason })

/** Where people reach the server: an address of this machine has no name but `localhost`. */
const siteOf = ({ origin, server }: Enrolling) =>
  Effect.try({
    try: () => {
      const site = new URL(Option.getOrElse(origin, () => addressOf(server)))
      if (/^(?:127(?:\.\d{1,3}){3}|\[::1\])$/.test(site.hostname)) site.hostname = "localhost"
      return site
    },
    catch: () => cannot("--origin is no address: https://pawl.example")
  })

interface Enrolled extends PublicPasskey {
  readonly user: string
}

interface Wanted {
  readonly passkey: Enrolled
  /** Null for nobody. */
  readonly endorser: ApproverKey | null
  /** Whether the key is somebody else's, who told its line. */
  readonly isOthers: boolean
}

/** The key that is enrolled, and the one that endorses it. */
const wantedOf = Effect.fnUntraced(function* (given: Enrolling, caller: string): Effect.fn.Return<Wanted, CannotAsk> {
  const user = Option.getOrElse(given.for, () => caller)
  if (Option.isSome(given.public)) {
    const passkey = readPublicLine(given.public.value)
    if (passkey === null || Option.isNone(given.for))
      return yield* cannot("--public is the line that its person was told, and --for the id of that user")
    return { passkey: { ...passkey, user }, endorser: yield* demandApproverKey(given.path), isOthers: true }
  }
  const site = yield* siteOf(given)
  const bound = { rpId: Option.getOrElse(given.rpId, () => site.hostname), origin: site.origin, user }
  const key = (yield* readApproverKey(given.path)) ?? (yield* makeApproverKey(given.path, bound))
  if (key.user !== user)
    return yield* cannot(`the key of ${given.path} is of ${key.user}: name another file with --key`)
  const endorser = Option.isNone(given.endorsedBy) ? null : yield* demandApproverKey(given.endorsedBy.value)
  return { passkey: key, endorser, isOthers: false }
})

const enrol = (
  { server }: Enrolling,
  { credential, publicKey, rpId, user }: Enrolled,
  endorsement: { readonly endorsement?: Assertion } = {}
) =>
  asking(server, (client) =>
    client.approvers.enrol({ payload: { credential, publicKey, rpId, user, ...endorsement } }).pipe(
      Effect.map(({ approver }) => ({ approver, asked: null })),
      Effect.catchIf(
        (error): error is Problem => error instanceof Problem && error.code === "endorsement_required",
        ({ facts }) => Effect.succeed({ approver: null, asked: String(facts["text"]) })
      )
    )
  )

/** The server's text must say this enrolment and nothing else; only whether it is an owner's is for the server to say. */
const isOwners = (asked: string, { credential, publicKey, rpId, user }: Enrolled): boolean | null => {
  const named = { credential, spki: publicKey, rpId, user } as Parameters<typeof enrolmentText>[0]
  if (asked === enrolmentText(named)) return false
  return asked === enrolmentText({ ...named, owner: true }) ? true : null
}

/** Enrols. Exits with 1 where an owner must endorse it first, or nobody said yes. */
export const enroll = Effect.fnUntraced(function* (given: Enrolling) {
  const { user } = yield* asking(given.server, (client) => client.account.me())
  const { endorser, isOthers, passkey } = yield* wantedOf(given, user.id)
  const first = yield* enrol(given, passkey)
  const done = (approver: { readonly credential: string; readonly user: string }) => ({
    lines: [
      `${approver.credential}  enrolled for ${approver.user} at ${passkey.rpId}${isOthers ? "" : `, in ${given.path}`}`
    ],
    exitCode: 0
  })
  if (first.approver !== null) return done(first.approver)
  const owners = isOwners(first.asked, passkey)
  if (owners === null) return yield* cannot(`the server wants something else endorsed than this key: ${first.asked}`)
  if (endorser === null)
    return {
      lines: [
        `not enrolled yet: an owner must endorse it, with a key of their own: pawl approve --enroll --for ${passkey.user} --public ${publicLine(passkey)}`
      ],
      exitCode: 1
    }
  const power = owners ? ". It is an owner's: it may endorse others" : ""
  const question = `Endorse ${passkey.credential} of ${passkey.user} for ${passkey.rpId}${power}?`
  if (!given.yes && !(yield* saysYes(question))) return { lines: ["not enrolled: nobody said yes"], exitCode: 1 }
  const second = yield* enrol(given, passkey, { endorsement: assertionOf(endorser, first.asked) })
  return second.approver === null ? yield* cannot("the server asks for an endorsement again") : done(second.approver)
})
