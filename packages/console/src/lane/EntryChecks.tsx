/** The checks of an entry's newest Candidate. */
import { useQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { api } from "../api/Client.ts"
import { keys } from "../api/Keys.ts"
import type { Answer } from "../api/Wire.ts"
import { Answered } from "../ui/Answered.tsx"
import type { Ran } from "./Axis.ts"
import { CheckBars } from "./CheckBars.tsx"

type Evidence = Answer<"candidates", "evidence">["items"][number]

const ranOf = ({ checkId, finishedAt, result, startedAt }: Evidence): Ran => ({
  name: checkId,
  result,
  from: startedAt,
  to: finishedAt
})

/** Milliseconds between two looks while checks run. */
const lookMs = 2000

/** While `isRunning` what is still owed counts as running since the last one ended. */
export const EntryChecks = ({
  candidateId,
  isRunning
}: {
  readonly candidateId: string
  readonly isRunning: boolean
}): ReactNode => {
  const query = useQuery({
    queryKey: keys.ofCandidate(candidateId, "checks"),
    queryFn: async ({ signal }) => {
      const params = { id: candidateId }
      const [{ items }, { candidate }] = await Promise.all([
        api.candidates.evidence({ params, query: {} }, { signal }),
        api.candidates.get({ params }, { signal })
      ])
      return { items, candidate, at: Date.now() }
    },
    refetchInterval: isRunning ? lookMs : false
  })
  return (
    <Answered query={query} lines={2}>
      {({ at, candidate, items }) => {
        const done = new Set(items.map(({ checkId }) => checkId))
        const owed = isRunning ? (candidate.plan_json?.checks ?? []).filter(({ id }) => !done.has(id)) : []
        const since = items.at(-1)?.finishedAt ?? candidate.updatedAt
        const running = owed.slice(0, 1).map(({ id }): Ran => ({ name: id, result: "running", from: since, to: null }))
        return <CheckBars all={[...items.map(ranOf), ...running]} now={at} />
      }}
    </Answered>
  )
}
