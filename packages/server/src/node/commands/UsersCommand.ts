/** `pawl users`: who there is, and who is let in no more. Straight on the stores, without a token. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { disable, makeOwner } from "@pawl/core/access/Keepers"
import type { OrganizationMember, User } from "@pawl/core/model/Membership"
import { list as organizationsOf } from "@pawl/core/access/Organizations"
import { Records } from "@pawl/core/ledger/Records"
import { Effect } from "effect"
import { beside, besideOptions, everyPage } from "./Beside.ts"

type Place = Pick<OrganizationMember, "role"> & { readonly id: string; readonly name: string }

/** A user as a line for a person, and one more for each organization. */
const userLines = (user: User, places: ReadonlyArray<Place>): ReadonlyArray<string> => [
  `${user.id}  ${user.name}${user.disabledAt === undefined ? "" : `  disabled ${user.disabledAt}`}`,
  ...places.map(({ id, name, role }) => `    ${role} of ${id}  ${name}`)
]

const list = Command.make("list", besideOptions, (options) =>
  beside(options, () =>
    Effect.gen(function* () {
      const records = yield* Records
      const users = yield* everyPage((page) => records.list("user", page))
      const items = yield* Effect.forEach(users, ({ record }) =>
        Effect.map(
          everyPage((page) => organizationsOf(record.id, page)),
          (organizations) => ({ ...record, organizations })
        )
      )
      return { lines: items.flatMap((each) => userLines(each, each.organizations)), json: { items } }
    })
  )
).pipe(Command.withDescription("Every user, with the organizations that they are in"))

const userArgument = Argument.String("user")

const disableUser = Command.make("disable", { user: userArgument, ...besideOptions }, ({ user, ...options }) =>
  beside(options, () =>
    Effect.map(disable(user, null), (disabled) => ({
      lines: [`${disabled.id}  disabled: no token of theirs lets anybody in any more`],
      json: { user: disabled }
    }))
  )
).pipe(Command.withDescription("Ends all that a user has, from the server's next request on"))

const own = Command.make(
  "own",
  { user: userArgument, organization: Argument.String("organization"), ...besideOptions },
  ({ organization, user, ...options }) =>
    beside(options, () =>
      Effect.map(makeOwner(user, organization), (member) => ({
        lines: [`${member.userId}  owner of ${member.organizationId}`],
        json: { member }
      }))
    )
).pipe(Command.withDescription("Makes a user an owner of an organization, for one that nobody who is left owns"))

/** Lists users, disables one, and makes one an owner of an organization. */
export const usersCommand = Command.make("users").pipe(
  Command.withDescription("Users, on the machine itself: works without a token, beside a running server too"),
  Command.withSubcommands([list, disableUser, own])
)
