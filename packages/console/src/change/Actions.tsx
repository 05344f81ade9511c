/** The buttons of a Change, each with its dialog. One component acts for each verb, wherever it is pressed. */
import type { ReactNode } from "react"
import { Decide } from "../candidate/Decide.tsx"
import { Land } from "../candidate/Land.tsx"
import type { Offered, Standing, Verb } from "../candidate/Offered.ts"
import { Promote } from "../candidate/Promote.tsx"
import { RequestCandidate } from "../candidate/RequestCandidate.tsx"
import { Button } from "../ui/Button.tsx"
import { CancelChange } from "./CancelChange.tsx"
import type { ChangeSet } from "./Records.ts"
import { SendChangeSet } from "./SendChangeSet.tsx"

const words: Readonly<Record<Verb, string>> = {
  approve: "Approve",
  reject: "Reject",
  promote: "Promote",
  land: "Land",
  request: "Request a Candidate",
  send: "Send a ChangeSet",
  cancel: "Cancel the Change"
}

const lookOf = ({ isMain, verb }: Offered): { readonly look?: "primary" | "danger" | "quiet" } => {
  if (isMain) return { look: "primary" }
  if (verb === "reject") return { look: "danger" }
  return verb === "cancel" ? { look: "quiet" } : {}
}

/** An action that somebody pressed, with what they looked at then. */
export interface AskedFor {
  readonly verb: Verb
  readonly at: Standing
  readonly changeSets: ReadonlyArray<ChangeSet>
  /** A path that an edit begins with. */
  readonly file?: string
}

/** The dialog of an action. */
export const ActionAsked = ({
  at,
  changeSets,
  file = "",
  onClose,
  verb
}: AskedFor & { readonly onClose: () => void }): ReactNode => {
  const { candidate, change, policy, why } = at
  if (verb === "cancel") return <CancelChange change={change} onClose={onClose} />
  if (verb === "send") return <SendChangeSet change={change} file={file} onClose={onClose} />
  if (verb === "land") return <Land change={change} candidate={candidate} onClose={onClose} />
  if (verb === "request")
    return <RequestCandidate change={change} changeSets={changeSets} last={candidate} onClose={onClose} />
  if (candidate === null) return null
  if (verb === "promote") return <Promote candidate={candidate} policy={policy} why={why} onClose={onClose} />
  const decision = verb === "approve" ? "granted" : "rejected"
  return <Decide candidate={candidate} decision={decision} policy={policy} why={why} onClose={onClose} />
}

/** What is offered. The main one is pressed by `a`, which opens its dialog. */
export const Actions = ({
  at,
  changeSets,
  of,
  open
}: Pick<AskedFor, "at" | "changeSets"> & {
  readonly of: ReadonlyArray<Offered>
  readonly open: (asked: AskedFor) => void
}): ReactNode => (
  <div className="change-actions">
    {of.map(({ isMain, verb, why }, index) => (
      // The same reason is seen once, and heard at each button.
      <span key={verb} className={of.findIndex((each) => each.why === why) < index ? "same-reason" : undefined}>
        <Button
          {...lookOf({ isMain, verb, why })}
          why={why}
          data-press={isMain ? "a" : undefined}
          onClick={() => open({ verb, at, changeSets })}
        >
          {words[verb]}
        </Button>
      </span>
    ))}
  </div>
)
