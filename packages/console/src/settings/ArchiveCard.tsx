/** The end of a Project. */
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { api } from "../api/Client.ts"
import { keys } from "../api/Keys.ts"
import { useProjectHere } from "../project/Here.ts"
import { useWhyNot } from "../project/May.ts"
import { announce } from "../shell/Announcements.ts"
import { Button } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { Confirm } from "../ui/Confirm.tsx"

/** Nothing where it has ended already. */
export const ArchiveCard = (): ReactNode => {
  const { id, label, name, status } = useProjectHere()
  const client = useQueryClient()
  const [isAsked, setAsked] = useState(false)
  const why = useWhyNot("projects.archive")
  const archiving = useMutation({
    mutationFn: () => api.projects.archive({ params: { id } }),
    onSuccess: () => {
      announce(`${name} is archived`)
      setAsked(false)
      void client.invalidateQueries({ queryKey: keys.projects })
      void client.invalidateQueries({ queryKey: keys.inbox })
      return client.invalidateQueries({ queryKey: keys.project(id) })
    }
  })
  if (status === "archived") return null
  return (
    <Card title="Archive the Project">
      <div className="stack">
        <p>
          Its app and its source are deleted, and nothing can be done in it any more. Its records can be read. This
          cannot be taken back.
        </p>
        <div>
          <Button look="danger" why={why} onClick={() => setAsked(true)}>
            Archive {name}
          </Button>
        </div>
      </div>
      {isAsked ? (
        <Confirm
          title={`Archive ${name}?`}
          act="Archive it, for good"
          name={label}
          isBusy={archiving.isPending}
          error={archiving.error}
          onClose={() => setAsked(false)}
          onConfirm={() => archiving.mutate()}
        >
          <p>Open Changes end, its app answers 410, and its source is gone.</p>
        </Confirm>
      ) : null}
    </Card>
  )
}
