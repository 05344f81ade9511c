/** The buttons of a Change, each with its dialog. One component acts for each verb, wherever it is pressed. */
import { type ReactNode, useState } from "react"
import { Decide } from "../candidate/Decide.tsx"
import { Land } from "../candidate/Land.tsx"
import { type Offered, type Standing, type Verb } from "../candidate/Offered.ts"
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

interface Given {
  readonly at: Standing
  readonly changeSets: ReadonlyArray<ChangeSet>
}

const Asked = ({ at, changeSets, onClose, verb }: Given & { readonly verb: Verb; readonly onClose: () => void }) => {
  const { candidate, change, policy, why } = at
  if (verb === "cancel") return <CancelChange change={change} onClose={onClose} />
  if (verb === "send") return <SendChangeSet change={change} onClose={onClose} />
  if (verb === "land") return <Land change={change} candidate={candidate} onClose={onClose} />
  if (verb === "request")
    return <RequestCandidate change={change} changeSets={changeSets} last={candidate} onClose={onClose} />
  if (candidate === null) return null
  if (verb === "promote") return <Promote candidate={candidate} why={why} onClose={onClose} />
  const decision = verb === "approve" ? "granted" : "rejected"
  return <Decide candidate={candidate} decision={decision} policy={policy} why={why} onClose={onClose} />
}

/** What is offered. The main one is pressed by `a`, which opens its dialog. */
export const Actions = ({ at, changeSets, of }: Given & { readonly of: ReadonlyArray<Offered> }): ReactNode => {
  // What somebody looks at stays the same while its dialog is open, whatever comes meanwhile.
  const [open, setOpen] = useState<(Given & { readonly verb: Verb }) | null>(null)
  return (
    <div className="change-actions">
      {of.map((each) => (
        <Button
          key={each.verb}
          {...lookOf(each)}
          why={each.why}
          data-press={each.isMain ? "a" : undefined}
          onClick={() => setOpen({ verb: each.verb, at, changeSets })}
        >
          {words[each.verb]}
        </Button>
      ))}
      {open === null ? null : <Asked {...open} onClose={() => setOpen(null)} />}
    </div>
  )
}
