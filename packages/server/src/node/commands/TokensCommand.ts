/** `pawl tokens`: for the day a token got into wrong hands. Straight on the stores, without a token. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import type { Token } from "@pawl/core/model/Membership"
import { firstOrganizationId, firstOwner } from "@pawl/core/access/Organizations"
import { isLive, issue, list as tokensOf, operator, revoke } from "@pawl/core/access/Tokens"
import { demand } from "@pawl/core/ledger/Decision"
import { InvalidField } from "@pawl/core/ledger/Refusals"
import { Records } from "@pawl/core/ledger/Records"
import * as Time from "@pawl/core/primitives/Time"
import { Effect, Option, Redacted } from "effect"
import * as OwnerToken from "../OwnerToken.ts"
import { beside, besideOptions, everyPage } from "./Beside.ts"

/** A token as a line for a person. */
const tokenLine = (token: Token, now: Time.Timestamp): string => {
  const state = token.revokedAt !== null ? `revoked ${token.revokedAt}` : isLive(token, now) ? "live" : "expired"
  const end = token.expiresAt === null ? "no end" : `ends ${token.expiresAt}`
  return `${token.id}  ${token.userId}  ${state}  ${end}  ${token.scopes.join(",")}  made ${token.createdAt}  ${token.name}`
}

/** What a token is made of is shown to nobody. */
const listOf = (tokens: ReadonlyArray<Token>, now: Time.Timestamp) => ({
  lines: tokens.map((token) => tokenLine(token, now)),
  json: { items: tokens.map(({ hash: _hash, ...token }) => token) }
})

const userOption = (description: string) => Flag.String("user").pipe(Flag.optional, Flag.withDescription(description))

const list = Command.make(
  "list",
  {
    user: userOption("of this user alone"),
    all: Flag.Boolean("all").pipe(
      Flag.withDefault(false),
      Flag.withDescription("those that are good for nothing any more, too")
    ),
    ...besideOptions
  },
  ({ all, user, ...options }) =>
    beside(options, () =>
      Effect.gen(function* () {
        const records = yield* Records
        const where = Option.match(user, { onNone: () => ({}), onSome: (userId) => ({ where: { userId } }) })
        const tokens = yield* everyPage((page) => records.list("token", { ...where, ...page }))
        const now = yield* Time.now
        return listOf(
          tokens.flatMap(({ record }) => (all || isLive(record, now) ? [record] : [])),
          now
        )
      })
    )
).pipe(Command.withDescription("The tokens that let somebody in, without what they are made of"))

const revokeTokens = Command.make(
  "revoke",
  {
    tokens: Argument.String("token").pipe(Argument.variadic()),
    user: userOption("all tokens of this user"),
    ...besideOptions
  },
  ({ tokens, user, ...options }) =>
    beside(options, () =>
      Effect.gen(function* () {
        const now = yield* Time.now
        const theirs = Option.isNone(user)
          ? []
          : yield* Effect.andThen(
              demand("user", user.value),
              everyPage((page) => tokensOf(user.value, page))
            )
        const live = theirs.filter(({ record }) => isLive(record, now)).map(({ record }) => record.id)
        if (tokens.length === 0 && Option.isNone(user))
          return yield* new InvalidField({ code: "invalid_field", field: "token", reason: "name one, or --user" })
        const revoked = yield* Effect.forEach([...tokens, ...live], (id) => revoke(id))
        return listOf(revoked, now)
      })
    )
).pipe(Command.withDescription("Revokes tokens by their ids, or all of a user, from the server's next request on"))

const make = Command.make(
  "new",
  { user: userOption("for this user; default: the first owner, and it is kept in the data folder"), ...besideOptions },
  ({ user, ...options }) =>
    beside(options, ({ data }) =>
      Effect.gen(function* () {
        const whose = Option.isSome(user) ? user.value : (yield* firstOwner(firstOrganizationId)).id
        const { text, token } = yield* issue(whose, { name: "made on the machine" }, operator)
        if (Option.isNone(user)) yield* OwnerToken.keep(data, text)
        const [line = ""] = listOf([token], yield* Time.now).lines
        const json = { token: Redacted.value(text), id: token.id }
        return { lines: [line, `token ${Redacted.value(text)}`], json }
      })
    )
).pipe(Command.withDescription("Makes a token with all scopes and no end, and shows it once"))

/** Lists tokens, revokes them, and makes one for a user. */
export const tokensCommand = Command.make("tokens").pipe(
  Command.withDescription("API tokens, on the machine itself: works without a token, beside a running server too"),
  Command.withSubcommands([list, revokeTokens, make])
)
