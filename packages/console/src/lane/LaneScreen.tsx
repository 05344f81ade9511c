/** `/p/<label>/lane`: who stands in line to land, in order, and what became of those before. */
import { type ReactNode, useState } from "react"
import type { Answer } from "../api/Wire.ts"
import { useLane, usePolicy } from "../project/ProjectQueries.ts"
import { useProjectHere } from "../project/Here.ts"
import { Screen } from "../shell/Screen.tsx"
import { Answered } from "../ui/Answered.tsx"
import { LinkButton } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { Empty } from "../ui/Empty.tsx"
import { Notice } from "../ui/Notice.tsx"
import { Who } from "../ui/Who.tsx"
import { AxisWords } from "./AxisWords.tsx"
import { EntryRow } from "./EntryRow.tsx"
import type { Entry } from "./EntryState.tsx"
import { useLaneChecks } from "./LaneChecks.ts"
import { LaneSwitch } from "./LaneSwitch.tsx"
import { MoveDialog } from "./MoveDialog.tsx"
import "./lane.css"

type LaneAnswer = Answer<"lane", "get">

const Nobody = ({ isOn }: { readonly isOn: boolean }): ReactNode => {
  const { label } = useProjectHere()
  return (
    <Card bare>
      <Empty icon="clock" title={isOn ? "Nobody waits to land" : "The lane is off"}>
        <p>
          {isOn
            ? "Changes whose Candidates are asked for enter by themselves where the Policy lets them out, others by “land”."
            : "Switched on in the Policy, it has Changes land in turn, each checked on those before it."}
        </p>
        {isOn ? (
          <LinkButton to={`/p/${label}/changes`}>Changes</LinkButton>
        ) : (
          <LinkButton to={`/p/${label}/settings`}>Settings</LinkButton>
        )}
      </Empty>
    </Card>
  )
}

const Paused = ({ lane: { pausedBy, reason } }: Pick<LaneAnswer, "lane">): ReactNode => (
  <Notice tone="warn" icon="stop">
    The lane is paused{" "}
    {pausedBy === null ? null : (
      <>
        by <Who of={{ type: pausedBy.startsWith("system:") ? "system" : "user", id: pausedBy }} />
      </>
    )}
    : {reason ?? "no reason was given"}
  </Notice>
)

const Line = ({ answer: { ended, entries, lane }, isOn }: { readonly answer: LaneAnswer; readonly isOn: boolean }) => {
  const [moved, setMoved] = useState<Entry | null>(null)
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const { id: projectId } = useProjectHere()
  const checks = useLaneChecks(projectId, [...entries, ...ended.filter(({ id }) => opened.has(id))])
  const others = entries.filter(({ id }) => id !== moved?.id)
  const open = (id: string, isOpen: boolean) =>
    setOpened((before) => new Set(isOpen ? [...before, id] : [...before].filter((each) => each !== id)))
  const rowOf = (entry: Entry, more: { readonly move?: () => void } = {}) => (
    <EntryRow
      key={entry.id}
      entry={entry}
      checks={checks}
      isOpen={opened.has(entry.id)}
      onOpen={(isOpen) => open(entry.id, isOpen)}
      {...more}
    />
  )
  return (
    <>
      {lane.state === "paused" ? <Paused lane={lane} /> : null}
      <AxisWords checks={checks} />
      {entries.length === 0 ? (
        <Nobody isOn={isOn} />
      ) : (
        <Card title={`In line (${lane.depth} predicted at once)`} bare>
          <ol role="list" className="entries">
            {entries.map((entry) => rowOf(entry, entries.length > 1 ? { move: () => setMoved(entry) } : {}))}
          </ol>
        </Card>
      )}
      {ended.length === 0 ? null : (
        <Card title="What became of those before" bare>
          <ol role="list" className="entries entries-ended">
            {ended.map((entry) => rowOf(entry))}
          </ol>
        </Card>
      )}
      {moved === null ? null : <MoveDialog entry={moved} others={others} onClose={() => setMoved(null)} />}
    </>
  )
}

/** The line of the Project. */
export default function LaneScreen(): ReactNode {
  const { id } = useProjectHere()
  const lane = useLane(id)
  const policy = usePolicy(id)
  const isOn = policy.data?.lane?.mode === "on"
  return (
    <Screen
      title="Lane"
      lead="Changes land in turn, each checked on what will be canonical when those before it have landed."
      actions={
        lane.data === undefined || !isOn ? undefined : <LaneSwitch isPaused={lane.data.lane.state === "paused"} />
      }
    >
      <Answered query={lane}>{(answer) => <Line answer={answer} isOn={isOn} />}</Answered>
    </Screen>
  )
}
