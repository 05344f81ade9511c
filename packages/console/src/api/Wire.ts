/** The contract of the server as types: what is sent and answered as JSON. Nothing of it is there when the console runs. */
import type { PawlApi } from "@pawl/server/api"

type Groups = (typeof PawlApi)["groups"]

/** What of a schema this reads: its two sides. */
interface Sides {
  readonly Type: unknown
  readonly Encoded: unknown
}

/** `never` where an endpoint takes no such part. */
type TypeOf<S> = [S] extends [never] ? never : S extends Sides ? S["Type"] : never

/** Endpoints hold the codec of a schema, whose wire form is any JSON; the schema itself says which. */
type WireOf<S> = [S] extends [never]
  ? never
  : S extends { readonly schema: infer Inner extends Sides }
    ? Inner["Encoded"]
    : S extends Sides
      ? S["Encoded"]
      : never

type Part<Name extends string, Value> = [Value] extends [never]
  ? unknown
  : Record<string, never> extends Value
    ? { readonly [K in Name]?: Value }
    : { readonly [K in Name]: Value }

/** What one endpoint is asked with: only the parts that it takes. A query holds numbers as numbers. */
export type RequestOf<E> = E extends {
  readonly "~Params": infer P
  readonly "~Query": infer Q
  readonly "~Payload": infer B
}
  ? Part<"params", TypeOf<P>> & Part<"query", TypeOf<Q>> & Part<"payload", WireOf<B>>
  : never

/** What one endpoint answers, as it stands in the answer. */
export type AnswerOf<E> = E extends { readonly "~Success": infer S } ? WireOf<S> : never

/** Groups of endpoints, by their names. */
export type GroupName = keyof Groups

/** The endpoints of a group, by their names. */
export type EndpointsOf<G extends GroupName> = Groups[G]["endpoints"]

/** How a call may be given up. */
export interface CallOptions {
  readonly signal?: AbortSignal
  /** Hears the entity tag of the answer; null for none. */
  readonly hearTag?: (tag: string | null) => void
  /** What is changed must still have this entity tag; null for whatever it has. */
  readonly ifMatch?: string | null
}

/** One function for each endpoint: it answers what the server answers, and throws a `Refusal`. */
export type Plain = {
  readonly [G in GroupName]: {
    readonly [M in keyof EndpointsOf<G>]: (
      request: RequestOf<EndpointsOf<G>[M]>,
      options?: CallOptions
    ) => Promise<AnswerOf<EndpointsOf<G>[M]>>
  }
}

/** What a call answers: `Answer<"projects", "list">`. */
export type Answer<G extends GroupName, M extends keyof EndpointsOf<G>> = AnswerOf<EndpointsOf<G>[M]>
