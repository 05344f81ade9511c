/** In development a Project has no app of its own: a build service serves it, from a worker that is named here. */
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type ReactNode, type SubmitEvent, useState } from "react"
import { api } from "../api/Client.ts"
import { keys } from "../api/Keys.ts"
import { useAnswer } from "../api/Queries.ts"
import { Refusal } from "../api/Refusal.ts"
import type { Answer } from "../api/Wire.ts"
import { useProjectHere } from "../project/Here.ts"
import { announce } from "../shell/Announcements.ts"
import { Answered } from "../ui/Answered.tsx"
import { Button } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { TextField } from "../ui/Field.tsx"
import { Problem } from "../ui/Problem.tsx"

type Target = Answer<"releases", "getTarget">["releaseTarget"]

const fields = [
  ["workerName", "Name of the worker", ""],
  ["workerTag", "Its id at the build service", ""],
  ["url", "Where it answers", "Scheme and host."],
  [
    "remote",
    "Repository that the build service watches",
    "Each promotion is pushed there. Empty: it watches another way."
  ]
] as const

type Given = Readonly<Record<(typeof fields)[number][0], string>>

const TargetForm = ({ id, target }: { readonly id: string; readonly target: Target | null }): ReactNode => {
  const client = useQueryClient()
  const params = { id }
  const [given, setGiven] = useState<Given>({
    workerName: target?.workerName ?? "",
    workerTag: target?.workerTag ?? "",
    url: target?.url ?? "",
    remote: target?.remote ?? ""
  })
  const stale = () => client.invalidateQueries({ queryKey: keys.ofProject(id, "target") })
  const naming = useMutation({
    mutationFn: ({ remote, ...rest }: Given) =>
      api.releases.putTarget({ params, payload: { ...rest, remote: remote.trim() === "" ? null : remote.trim() } }),
    onSuccess: () => {
      announce("The release target is named")
      return stale()
    }
  })
  const forgetting = useMutation({
    mutationFn: () => api.releases.deleteTarget({ params }),
    onSuccess: () => {
      announce("The release target is forgotten")
      return stale()
    }
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    naming.mutate(given)
  }
  const error = naming.error ?? forgetting.error
  return (
    <form className="stack narrow" onSubmit={submit} noValidate>
      {error === null ? null : <Problem of={error} />}
      {fields.map(([name, label, hint]) => (
        <TextField
          key={name}
          label={label}
          autoComplete="off"
          spellCheck={false}
          {...(hint === "" ? {} : { hint })}
          value={given[name]}
          onChange={({ target: { value } }) => setGiven({ ...given, [name]: value })}
        />
      ))}
      <div className="row">
        <Button type="submit" look="primary" busy={naming.isPending}>
          {target === null ? "Name it" : "Save"}
        </Button>
        {target === null ? null : (
          <Button look="danger" busy={forgetting.isPending} onClick={() => forgetting.mutate()}>
            Forget it
          </Button>
        )}
      </div>
    </form>
  )
}

const Target = ({ id }: { readonly id: string }): ReactNode => {
  const query = useAnswer(keys.ofProject(id, "target"), async (options) => {
    try {
      return (await api.releases.getTarget({ params: { id } }, options)).releaseTarget
    } catch (thrown) {
      if (thrown instanceof Refusal && thrown.status === 404) return null
      throw thrown
    }
  })
  return (
    <Card title="Release target">
      <Answered query={query} lines={4}>
        {(target) => <TargetForm key={target?.updatedAt ?? "none"} id={id} target={target} />}
      </Answered>
    </Card>
  )
}

/** Nothing in production, where it is of no use. */
export const ReleaseTargetCard = (): ReactNode => {
  const { id } = useProjectHere()
  const health = useAnswer(["health"], (options) => api.service.health({}, options))
  return health.data?.environment === "development" ? <Target id={id} /> : null
}
