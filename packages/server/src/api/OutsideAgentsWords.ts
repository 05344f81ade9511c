/**
 * What the wire calls `outsideAgents` of a Policy: true, false, or `only`. Stores keep their own words: statements hold
 * the digest of a Policy as it was stored.
 */
import { Schema } from "effect"
import type { OutsideAgents, Policy, PolicyFields } from "@pawl/core/model/Policy"

/** As it is answered: whether agents that people bring may work Tasks, or `only` those do. */
export const AnsweredOutsideAgents = Schema.Union([Schema.Boolean, Schema.Literal("only")])

/** As it may be sent: `also` is another word for true, and `never` for false. */
export const SentOutsideAgents = Schema.Union([Schema.Boolean, Schema.Literals(["only", "also", "never"])])

const answered = { also: true, never: false, only: "only" } as const satisfies Readonly<
  Record<OutsideAgents, typeof AnsweredOutsideAgents.Type>
>

/** A Policy as it is answered: what it never said is answered as it counts. */
export const answeredPolicy = ({ outsideAgents = "also", ...policy }: Policy) => ({
  ...policy,
  outsideAgents: answered[outsideAgents]
})

const stored = (sent: typeof SentOutsideAgents.Type): OutsideAgents =>
  sent === true ? "also" : sent === false ? "never" : sent

/** What was sent of a Policy, in the words that are stored. */
export const storedFields = ({
  outsideAgents,
  ...fields
}: Omit<Partial<PolicyFields>, "outsideAgents"> & {
  readonly outsideAgents?: typeof SentOutsideAgents.Type
}): Partial<PolicyFields> =>
  outsideAgents === undefined ? fields : { ...fields, outsideAgents: stored(outsideAgents) }
