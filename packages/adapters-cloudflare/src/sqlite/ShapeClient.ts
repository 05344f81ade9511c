/**
 * The library's client as far as changes of a shape ask for it: texts, names, values, and ways for each dialect. The library's
 * own knows much more, for which it has 10 KB of code.
 */
import type { SqlClient } from "effect/sql/SqlClient"
import type { Parameter, Query } from "@pawl/sql/Database"
import { Effect } from "effect"
import { failed } from "./DurableObjectDatabase.ts"
import type { ObjectStorage } from "./ObjectStorage.ts"
import { perform } from "./Statements.ts"

/** A name within a statement. */
class Name {
  readonly quoted: string
  constructor(name: string) {
    this.quoted = `"${name.replaceAll('"', '""')}"`
  }
}

const queryOf = (texts: ReadonlyArray<string>, given: ReadonlyArray<Name | Parameter>): Query => ({
  sql: texts.reduce((sql, text, at) => {
    const before = given[at - 1]
    return `${sql}${before instanceof Name ? before.quoted : "?"}${text}`
  }),
  params: given.filter((each): each is Parameter => !(each instanceof Name))
})

/** The ways of the dialects. */
interface Ways<A> {
  readonly sqlite?: () => A
  readonly orElse: () => A
}

/** A client of an object's storage. A transaction is what is around it all: the object's own. */
export const shapeClient = (storage: ObjectStorage): SqlClient => {
  const run = (query: Query) => Effect.try({ try: () => perform(storage, query).rows, catch: failed })
  const client = (given: string | TemplateStringsArray, ...values: ReadonlyArray<Name | Parameter>) =>
    typeof given === "string" ? new Name(given) : run(queryOf(given, values))
  const known = {
    unsafe: (sql: string) => run({ sql, params: [] }),
    onDialectOrElse: <A>({ orElse, sqlite = orElse }: Ways<A>) => sqlite(),
    withTransaction: <A>(effect: A) => effect
  }
  // Whatever else the library's client has is no function here.
  return Object.assign(client, known) as unknown as SqlClient
}
