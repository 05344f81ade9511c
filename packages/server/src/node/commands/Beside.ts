/**
 * The stores of an installation, as the commands open them that an operator runs on the machine itself: without a token,
 * with the options of the server, beside it while it runs. The server looks tokens and users up at each request, so that
 * what is done here is in force with the next one.
 */
import * as Flag from "effect/cli/Flag"
import type { Secrets } from "@pawl/core/access/Secrets"
import { wordsOf } from "@pawl/core/primitives/Words"
import type { Stores } from "@pawl/sql/SqlStores"
import { Effect, Layer, Option } from "effect"
import { Problem } from "../../api/Problem.ts"
import { refusing } from "../../http/answer/HandlerAnswer.ts"
import type { Refusal } from "../../http/answer/Refusal.ts"
import * as WebCryptoSecrets from "../../http/WebCryptoSecrets.ts"
import * as Chance from "../Chance.ts"
import * as Options from "../Options.ts"
import * as Installations from "../installations/Installations.ts"
import { CannotAsk, codeOf, jsonOption, reporting, type Said } from "./Remote.ts"

/** The options of every such command. Where the state is comes from the environment and the config file, as for `serve`. */
export const besideOptions = {
  data: Flag.String("data").pipe(
    Flag.optional,
    Flag.withDescription("the data folder of the server (PAWL_DATA, .pawl)")
  ),
  config: Flag.String("config").pipe(
    Flag.optional,
    Flag.withDescription("the server's file of options (pawl.config.json)")
  ),
  ...jsonOption
}

/** As given on the command line. */
export interface BesideOptions {
  readonly data: Option.Option<string>
  readonly config: Option.Option<string>
  readonly json: boolean
}

/** What `Options.read` takes of them. */
export const givenOf = ({ config, data }: Pick<BesideOptions, "config" | "data">): Parameters<typeof Options.read> => [
  Option.match(data, { onNone: () => ({}), onSome: (folder) => ({ data: folder }) }),
  Option.getOrUndefined(config)
]

const settled = <A, R>(
  work: Effect.Effect<A, Refusal | Problem | CannotAsk, R>
): Effect.Effect<A, Problem | CannotAsk, R> =>
  Effect.catch(work, (error): Effect.Effect<never, Problem | CannotAsk> =>
    error instanceof CannotAsk ? Effect.fail(error) : refusing(Effect.fail(error))
  )

/** Does the work on the stores and prints what it says, its lines or those and JSON; exits with 2 when it cannot, or is refused. */
export const beside = (
  given: BesideOptions,
  work: (
    options: Options.Options
  ) => Effect.Effect<ReadonlyArray<string> | Said, Refusal | Problem | CannotAsk, Secrets | Stores>
): Effect.Effect<void> =>
  reporting(
    Effect.gen(function* () {
      const options = yield* Options.read(...givenOf(given))
      const services = Layer.mergeAll(Installations.of(options).beside, WebCryptoSecrets.layer, Chance.layer)
      const found = yield* Effect.provide(settled(work(options)), services)
      return "lines" in found ? { ...found, exitCode: 0 } : { lines: found, exitCode: 0 }
    }).pipe(
      Effect.mapError((error) => {
        const reason = error instanceof Problem ? `${error.code}: ${error.detail}` : wordsOf(error)
        return new CannotAsk({ reason, ...codeOf(error) })
      })
    ),
    given.json
  )

/** All of a listing, page by page. */
export const everyPage = Effect.fnUntraced(function* <A, E, R>(
  read: (page: {
    readonly cursor?: string
  }) => Effect.Effect<{ readonly items: ReadonlyArray<A>; readonly nextCursor: string | null }, E, R>
): Effect.fn.Return<ReadonlyArray<A>, E, R> {
  const all: Array<A> = []
  let page = yield* read({})
  for (;;) {
    all.push(...page.items)
    if (page.nextCursor === null) return all
    page = yield* read({ cursor: page.nextCursor })
  }
})
