/** `/p/<label>/rollback?to=<n>`: what going back would do, and the way to do it. */
import { type ReactNode, useState } from "react"
import { useLocation, useSearchParams } from "wouter"
import { useProjectHere } from "../project/Here.ts"
import { useProjectOf } from "../project/ProjectQueries.ts"
import { generationIn } from "../generation/Window.ts"
import { Screen } from "../shell/Screen.tsx"
import { Answered } from "../ui/Answered.tsx"
import { Button, LinkButton } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { Empty } from "../ui/Empty.tsx"
import { TextField } from "../ui/Field.tsx"
import { RollbackPlan } from "./RollbackPlan.tsx"
import { RollbackProgress } from "./RollbackProgress.tsx"
import "./rollback.css"

const ChooseTarget = ({ head }: { readonly head: number }): ReactNode => {
  const { label } = useProjectHere()
  const [, go] = useLocation()
  const [typed, setTyped] = useState("")
  const [isAsked, setAsked] = useState(false)
  const target = generationIn(typed, head - 1)
  return (
    <Card title="Back to which generation?">
      <form
        className="rollback-choose"
        onSubmit={(event) => {
          event.preventDefault()
          setAsked(true)
          if (target !== null) go(`/p/${label}/rollback?to=${target}`)
        }}
      >
        <TextField
          label="Generation"
          inputMode="numeric"
          autoComplete="off"
          hint={`S${head} is canonical now. Any older one will do.`}
          value={typed}
          wrong={isAsked && target === null ? `Give a number from 0 to ${head - 1}.` : null}
          onChange={({ target: { value } }) => setTyped(value)}
        />
        <Button type="submit" look="primary">
          Show what it would do
        </Button>
      </form>
    </Card>
  )
}

const NothingOlder = (): ReactNode => {
  const { label } = useProjectHere()
  return (
    <Card bare>
      <Empty icon="clock" title="There is nothing to go back to">
        <p>A rollback makes the tree of an older generation canonical again. There is no older one yet.</p>
        <LinkButton to={`/p/${label}/generations`}>Generations</LinkButton>
      </Empty>
    </Card>
  )
}

const Target = ({ head, target }: { readonly head: number; readonly target: number | null }): ReactNode => {
  if (head === 0) return <NothingOlder />
  return target === null ? <ChooseTarget head={head} /> : <RollbackPlan key={target} head={head} target={target} />
}

/** While `change` stands in the address, it is followed to its end; so a reload loses nothing. */
export default function RollbackScreen(): ReactNode {
  const { id } = useProjectHere()
  const [asked] = useSearchParams()
  const project = useProjectOf(id)
  const change = asked.get("change")
  const head = project.data?.canonical?.generation
  const target = head === undefined ? null : generationIn(asked.get("to") ?? "", change === null ? head - 1 : head)
  return (
    <Screen
      title={target === null ? "Roll back" : `Roll back to S${target}`}
      lead="The line only grows: the old tree becomes a new generation, checked and promoted as any other."
    >
      <Answered query={project}>
        {({ canonical }) => {
          if (canonical === null) return <NothingOlder />
          return change === null || target === null ? (
            <Target head={canonical.generation} target={target} />
          ) : (
            <RollbackProgress change={change} target={target} />
          )
        }}
      </Answered>
    </Screen>
  )
}
