/** All that the screen of a Change stands on, asked for side by side. */
import { useEffect, useState } from "react"
import { useSearchParams } from "wouter"
import type { Standing } from "../candidate/Offered.ts"
import type { Answer } from "../api/Wire.ts"
import { currentOf } from "./Current.ts"
import { useSignedIn } from "../account/Me.ts"
import { useMayNot } from "../project/May.ts"
import { usePolicy, useProjectOf } from "../project/ProjectQueries.ts"
import { useCandidates, useChangeSets, useWhy } from "./Queries.ts"
import type { Candidate, Change, ChangeSet } from "./Records.ts"

/** What is known, and whether enough is to offer actions. */
export interface StandingHere {
  readonly at: Standing
  readonly project: Answer<"projects", "get"> | null
  readonly candidates: ReadonlyArray<Candidate>
  readonly changeSets: ReadonlyArray<ChangeSet>
  readonly isKnown: boolean
  /** What was thrown where something could not be had; null else. */
  readonly error: unknown
}

/** Of a Change; `?candidate=` of the address says which Candidate is looked at. */
export const useStanding = (change: Change): StandingHere => {
  const [search] = useSearchParams()
  const candidates = useCandidates(change.id)
  const changeSets = useChangeSets(change.id)
  const project = useProjectOf(change.projectId)
  const policy = usePolicy(change.projectId)
  const me = useSignedIn()
  const mayNot = useMayNot(change.projectId)
  const candidate = currentOf(candidates.data ?? [], search.get("candidate"))
  const why = useWhy(candidate?.id ?? null)
  const isAllThere =
    candidates.data !== undefined &&
    changeSets.data !== undefined &&
    (candidate === null || why.data !== undefined) &&
    policy.data !== undefined &&
    me.data !== undefined &&
    mayNot !== null
  // What was shown once stays, also while a Candidate that takes another's place is asked about.
  const [wasThere, setThere] = useState(false)
  useEffect(() => {
    if (isAllThere) setThere(true)
  }, [isAllThere])
  return {
    at: {
      change,
      candidate,
      why: why.data ?? null,
      policy: policy.data ?? null,
      me: me.data ?? null,
      mayNot,
      isArchived: project.data?.project.status === "archived",
      changeSets: (changeSets.data ?? []).map(({ id }) => id)
    },
    project: project.data ?? null,
    candidates: candidates.data ?? [],
    changeSets: changeSets.data ?? [],
    isKnown: isAllThere || wasThere,
    error: candidates.error ?? changeSets.error ?? project.error ?? policy.error ?? me.error ?? why.error
  }
}
