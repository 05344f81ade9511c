/** What was asked for cannot be used, is not there, or is too much. */
import { InvalidField } from "@pawl/core/ledger/Refusals"
import { moneyNames } from "@pawl/core/model/Change"
import { wireName } from "@pawl/core/primitives/WireNames"
import { short } from "@pawl/core/primitives/ShortText"
import { problemOf, type Rows } from "./Row.ts"

const wordOf = (kind: string): string => kind.toLowerCase().replace(/-/g, "_")

/** The refusal under the name that requests have for its field. */
const onTheWire = ({ code, field, reason }: InvalidField): InvalidField =>
  new InvalidField({ code, field: wireName(moneyNames, field), reason })

/** Refusals of what a request names or sends, whatever it is about. */
export const requestProblems = {
  InvalidField: (refusal) => {
    const { code, field, message } = onTheWire(refusal)
    return problemOf(400, code, "A field cannot be used", message, { field: short(field) })
  },
  InvalidPath: ({ message, path }) =>
    problemOf(400, "invalid_path", "A path cannot be used", message, { path: short(path) }),
  TreeTooLarge: ({ actual, limit, max, message }) =>
    problemOf(413, "tree_too_large", "The source is too large", message, { limit, max, actual }),
  DiffTooLarge: ({ max, message }) => problemOf(422, "diff_too_large", "The diff is too large", message, { max }),
  Unknown: ({ kind, message }) => problemOf(404, `unknown_${wordOf(kind)}`, "There is no such thing", message),
  DeadLetterMissing: ({ message }) => problemOf(404, "unknown_dead_letter", "There is no such thing", message),
  EventsExpired: ({ after, message, oldest }) =>
    problemOf(410, "events_expired", "These events are gone", message, { after, oldest })
} satisfies Partial<Rows>
