/** What comes next, with the buttons for it, and beside them what they are about. */
import { type ReactNode, useEffect, useState } from "react"
import { useSearchParams } from "wouter"
import { Checks } from "../candidate/Checks.tsx"
import { filesWords } from "../candidate/Files.tsx"
import { offered } from "../candidate/Offered.ts"
import { withoutName } from "../shell/Place.ts"
import { Icon } from "../ui/Icon.tsx"
import { Id } from "../ui/Id.tsx"
import { Problem } from "../ui/Problem.tsx"
import { Skeleton } from "../ui/Skeleton.tsx"
import { useKeptFocus } from "../ui/KeptFocus.ts"
import { lookOf } from "../ui/StatusTone.ts"
import { ActionAsked, Actions, type AskedFor } from "./Actions.tsx"
import { LiveLine } from "./LiveLine.tsx"
import { useNames, withNames } from "./Names.ts"
import { nextWithout, withoutNothing, withoutRequests } from "./Next.ts"
import { useDiff } from "./Queries.ts"
import type { Candidate, Why } from "./Records.ts"
import type { StandingHere } from "./StandingHere.ts"
import { WaysOn } from "./WaysOn.tsx"

const About = ({ candidate, why }: { readonly candidate: Candidate; readonly why: Why | null }): ReactNode => {
  const { base_generation: base, commit, id, tree } = candidate
  const diff = useDiff(id, commit !== null).data
  return (
    <ul role="list" className="next-about">
      <li>
        {tree === null ? (
          "no tree yet"
        ) : (
          <>
            tree <Id id={tree} label="tree" />
          </>
        )}
      </li>
      <li>
        on S{base}, {candidate.status === "promoted" ? "became" : "becomes"} S{base + 1}
      </li>
      {diff === undefined ? null : <li>{filesWords(diff.files)}</li>}
      {why === null || why.checks.length === 0 ? null : (
        <li>
          <Checks of={why.checks} />
        </li>
      )}
    </ul>
  )
}

const nextOf = ({ at: { candidate, change, why }, changeSets }: StandingHere, name: (id: string) => string): string => {
  if (candidate === null) return nextWithout(change, changeSets.length)
  // It was asked for, and the answer is on its way.
  return why === null ? lookOf(candidate.status).words : withNames(withoutRequests(why.next), name)
}

const Panel = ({
  here,
  open
}: {
  readonly here: StandingHere
  readonly open: (asked: AskedFor) => void
}): ReactNode => {
  const { at, changeSets, error, isKnown, project } = here
  const { candidate, change, why } = at
  const name = useNames(change.projectId)
  const kept = useKeptFocus<HTMLElement>()
  if (!isKnown) return error === null ? <Skeleton lines={2} /> : <Problem of={error} />
  const isOfCandidate = candidate !== null && ["created", "verifying"].includes(change.status)
  const owes = candidate?.status === "verified" && why?.canPromote === false
  const look = lookOf(owes ? "awaiting_approval" : isOfCandidate ? candidate.status : change.status)
  const actions = offered(at)
  const label = project?.project.label ?? null
  return (
    <section {...kept} className="card next" aria-label="What is next" data-tone={look.tone}>
      <div className="next-words">
        <p className="next-line">
          <Icon name={look.icon} />
          <span>{withoutNothing(nextOf(here, name))}</span>
        </p>
        {candidate?.status === "promoted" ? (
          <LiveLine projectId={change.projectId} label={label} generation={candidate.base_generation + 1} />
        ) : null}
        {candidate === null ? null : <About candidate={candidate} why={why} />}
      </div>
      {error === null || why !== null ? null : <Problem of={error} />}
      {actions.length === 0 ? null : <Actions at={at} changeSets={changeSets} of={actions} open={open} />}
      <WaysOn change={change} label={label} isArchived={at.isArchived} />
    </section>
  )
}

/** `?edit=<path>` of the address asks for the edit of a file, once. */
const useAskedEdit = ({ at, changeSets, isKnown }: StandingHere, open: (asked: AskedFor) => void): void => {
  const [search, setSearch] = useSearchParams()
  const file = search.get("edit")
  const mayBegin = file !== null && isKnown
  useEffect(() => {
    if (!mayBegin) return
    if (offered(at).some(({ verb, why }) => verb === "send" && why === null))
      open({ verb: "send", at, changeSets, file })
    setSearch((before) => withoutName(before, "edit"), { replace: true })
    // Once, with what was known then.
  }, [mayBegin])
}

/** Of a Change as it stands here. A dialog stays open, with what it is about, whatever comes meanwhile. */
export const NextPanel = ({ here }: { readonly here: StandingHere }): ReactNode => {
  const [asked, setAsked] = useState<AskedFor | null>(null)
  useAskedEdit(here, setAsked)
  return (
    <>
      <Panel here={here} open={setAsked} />
      {asked === null ? null : <ActionAsked {...asked} onClose={() => setAsked(null)} />}
    </>
  )
}
