/**
 * `pawl approve`: decides on a Candidate by what the approver's own clone shows, and signs that with a key of their own.
 * The server's page and its API may lie: what is signed is made here, and where they say something else nothing is sent.
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import type { Approval } from "@pawl/core/model/Approval"
import type { Candidate } from "@pawl/core/model/Candidate"
import { approvalText } from "@pawl/core/provenance/ApprovalText"
import { Effect, Option } from "effect"
import { type ApproverKey, demandApproverKey, keyPath } from "../approver/ApproverKey.ts"
import { assertionOf } from "../approver/Authenticator.ts"
import { type ClonedCandidate, clonedCandidate } from "../approver/ClonedCandidate.ts"
import { saysYes } from "../approver/Consent.ts"
import { differences, ownClaim } from "../approver/Decisions.ts"
import { enroll } from "./Enrollment.ts"
import { asking, CannotAsk, jsonOption, remoteOptions, reporting, telling, type RemoteOptions } from "./Remote.ts"

const cannot = (reason: string) => new CannotAsk({ reason })

interface Deciding {
  readonly candidateId: string
  readonly decision: Approval["decision"]
  readonly note: Option.Option<string>
  readonly clone: string
  readonly remote: string
  /** Null without a signature. */
  readonly key: ApproverKey | null
  readonly yes: boolean
  readonly server: RemoteOptions
}

/** What a person is about to decide on. */
const shownLines = (
  { commit, main, project, source, stat, tree }: ClonedCandidate,
  { changeId, id, plan, status }: Candidate,
  clone: string
): ReadonlyArray<string> => [
  `Project    ${project}`,
  `Change     ${changeId}`,
  `Candidate  ${id}  ${status}  risk ${plan?.riskTier ?? "unknown"}  ${plan?.checks.length ?? 0} checks`,
  `commit     ${commit}`,
  `tree       ${tree}`,
  `files      sha256:${source}`,
  `against    main, ${main}:`,
  ...stat.split("\n"),
  `Look at it with: git -C ${clone} diff ${main} ${commit}`
]

const decide = Effect.fnUntraced(function* ({
  candidateId,
  clone,
  decision,
  key,
  note,
  remote,
  server,
  yes
}: Deciding) {
  const { candidate, text, user } = yield* asking(server, (client) =>
    Effect.gen(function* () {
      const { user } = yield* client.account.me()
      const { candidate } = yield* client.candidates.get({ params: { id: candidateId } })
      const { text } = yield* client.approvals.challenge({ params: { id: candidateId }, query: { decision } })
      return { candidate, text, user: user.id }
    })
  )
  if (key !== null && key.user !== user) return yield* cannot(`the key is of ${key.user}, and the token of ${user}`)
  const cloned = yield* clonedCandidate(clone, remote, candidateId)
  const own = ownClaim(cloned, { candidate, user }, decision)
  if (own === null) return yield* cannot(`${candidateId} has no plan yet: it cannot be decided on`)
  const found = differences(cloned, own, { candidate, text, user })
  if (found.length > 0)
    return {
      lines: [
        "not sent: the server says something else than this clone",
        ...found.map((each) => `  ${each.field}: the clone has ${each.own}, the server ${each.served}`)
      ],
      exitCode: 1
    }
  yield* telling(shownLines(cloned, candidate, clone).join("\n"))
  const how = key === null ? "without a signature" : `signed by ${key.credential} for ${key.rpId}`
  if (!yes && !(yield* saysYes(`Decide ${decision} as ${user}, ${how}?`)))
    return { lines: ["not sent: nobody said yes"], exitCode: 1 }
  const { approval } = yield* asking(server, (client) =>
    client.approvals.approve({
      params: { id: own.change },
      payload: {
        candidateId,
        decision,
        ...(Option.isNone(note) ? {} : { note: note.value }),
        ...(key === null ? {} : { passkey: assertionOf(key, approvalText(own)) })
      }
    })
  )
  return { lines: [`${approval.decision}  ${approval.id}  ${how}`], exitCode: 0 }
})

const flag = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDefault(false), Flag.withDescription(description))
const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.optional, Flag.withDescription(description))

/** Exits with 0 when the decision is stored, 1 when it was not sent, 2 when it could not ask or was refused. */
export const approveCommand = Command.make(
  "approve",
  {
    candidate: Argument.String("candidate").pipe(Argument.optional),
    sign: flag("sign", "sign the decision with the key of --key"),
    reject: flag("reject", "reject it instead"),
    clone: Flag.String("clone").pipe(Flag.withDefault("."), Flag.withDescription("the approver's own clone (.)")),
    remote: Flag.String("remote").pipe(Flag.withDefault("origin"), Flag.withDescription("its remote (origin)")),
    note: text("note", "what you say beside it, in a line"),
    yes: flag("yes", "do not ask"),
    key: text("key", "the file of the approver's key ($XDG_CONFIG_HOME/pawl/approver-key)"),
    enroll: flag("enroll", "make a key, unless there is one, and enrol it instead of deciding"),
    endorsedBy: text("endorsed-by", "to enrol: the key file of an owner, which endorses it"),
    public: text("public", "to enrol somebody else's key: the line that they were told; --key endorses it"),
    for: text("for", "to enrol: the id of the user whose key it is (who asks)"),
    origin: text("origin", "to enrol: the site of Pawl that it signs for (the one of --url)"),
    rpId: text("rp-id", "to enrol: the name that the site's host is or ends with (that host)"),
    ...remoteOptions,
    ...jsonOption
  },
  ({ candidate, clone, data, json, key, reject, remote, sign, token, url, yes, ...flags }) => {
    const server = { data, token, url }
    const path = keyPath(key)
    if (flags.enroll) return reporting(enroll({ ...flags, path, server, yes }), json)
    return reporting(
      Effect.gen(function* () {
        if (Option.isNone(candidate)) return yield* cannot("name the Candidate to decide on, or give --enroll")
        return yield* decide({
          candidateId: candidate.value,
          decision: reject ? "rejected" : "granted",
          note: flags.note,
          clone,
          remote,
          key: sign ? yield* demandApproverKey(path) : null,
          yes,
          server
        })
      }),
      json
    )
  }
).pipe(
  Command.withDescription(
    "Decides on a Candidate by what one's own clone shows, and signs it; exits with 1 when nothing was sent, 2 when it could not ask"
  )
)
