/**
 * The provider of identities for objects that hold Projects: what asks it is another script, which knows of nothing else.
 * Over RPC errors lose their fields, so an answer says by itself what it is.
 */
import { Unauthenticated } from "@pawl/core/access/Tokens"
import { Effect, Redacted } from "effect"
import {
  type IdentityProvider,
  type Leaving,
  ProviderUnavailable,
  SignInRefused,
  type Told,
  type Verified
} from "../http/IdentityProvider.ts"

/** What was answered, or why not. */
export type Answered<A> =
  | { readonly _tag: "Done"; readonly value: A }
  | { readonly _tag: "Unauthenticated"; readonly reason: Unauthenticated["reason"] }
  | { readonly _tag: "Refused" | "Away"; readonly reason: string }

/** What may be asked of it. Tokens and what a browser keeps are texts here. */
export interface IdentityCalls {
  readonly verify: (token: string) => Promise<Answered<Verified>>
  readonly begin: (leaving: Leaving) => Promise<Answered<{ readonly url: string; readonly kept: string }>>
  readonly finish: (answer: string, kept: string) => Promise<Answered<Omit<Told, "state"> & { readonly state: string }>>
}

type Failure = Unauthenticated | SignInRefused | ProviderUnavailable

/** An answer for the line. */
export const answered = <A>(effect: Effect.Effect<A, Failure>): Promise<Answered<A>> =>
  Effect.runPromise(
    Effect.match(effect, {
      onSuccess: (value): Answered<A> => ({ _tag: "Done", value }),
      onFailure: (failure): Answered<A> => {
        switch (failure._tag) {
          case "Unauthenticated":
            return { _tag: "Unauthenticated", reason: failure.reason }
          case "SignInRefused":
            return { _tag: "Refused", reason: failure.reason }
          case "ProviderUnavailable":
            return { _tag: "Away", reason: failure.reason }
        }
      }
    })
  )

/** What cannot be asked may be asked again: an object that was moved, or whose script is new. */
const asked = <A>(call: () => Promise<Answered<A>>): Effect.Effect<A, Failure> =>
  Effect.tryPromise({
    try: call,
    catch: () => new ProviderUnavailable({ reason: "the script that asks it does not answer" })
  }).pipe(
    Effect.flatMap((answer): Effect.Effect<A, Failure> => {
      switch (answer._tag) {
        case "Done":
          return Effect.succeed(answer.value)
        case "Unauthenticated":
          return Effect.fail(new Unauthenticated({ reason: answer.reason }))
        case "Refused":
          return Effect.fail(new SignInRefused({ reason: answer.reason }))
        case "Away":
          return Effect.fail(new ProviderUnavailable({ reason: answer.reason }))
      }
    })
  )

/** A token is refused in no other way, and a sign-in in none of a token's. */
const mistaken = ({ _tag }: Failure) =>
  Effect.die(new Error(`the provider's script answered ${_tag} to something else`))

/** `signsIn`: whether browsers may sign in there. */
export const make = (calls: IdentityCalls, signsIn: boolean): IdentityProvider => ({
  verify: (token) =>
    Effect.catchTag(
      asked(() => calls.verify(Redacted.value(token))),
      "SignInRefused",
      mistaken
    ),
  flow: signsIn
    ? {
        begin: (leaving) =>
          asked(() => calls.begin(leaving)).pipe(
            Effect.map(({ kept, url }) => ({ url, kept: Redacted.make(kept) })),
            Effect.catchTags({ SignInRefused: mistaken, Unauthenticated: mistaken })
          ),
        finish: (answer, kept) =>
          asked(() => calls.finish(answer, Redacted.value(kept))).pipe(
            Effect.map(({ state, ...told }) => ({ ...told, state: Redacted.make(state) })),
            Effect.catchTag("Unauthenticated", mistaken)
          )
      }
    : null
})
