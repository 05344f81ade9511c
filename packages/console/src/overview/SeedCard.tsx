/** A Project without a source: the ways to give it one. */
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { api } from "../api/Client.ts"
import { keys } from "../api/Keys.ts"
import { useProjectHere } from "../project/Here.ts"
import { useWhyNot } from "../project/May.ts"
import { announce } from "../shell/Announcements.ts"
import { Button } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { Code } from "../ui/Code.tsx"
import { SelectField } from "../ui/Field.tsx"
import { Problem } from "../ui/Problem.tsx"

const templates = {
  shop: "Shop: a small shop with a cart, and its tests",
  react: "React: a page with a bundled client",
  blank: "Blank: one page and one test"
} as const

/** What is chosen becomes S0. */
export const SeedCard = (): ReactNode => {
  const { id } = useProjectHere()
  const why = useWhyNot("projects.source")
  const client = useQueryClient()
  const [template, setTemplate] = useState<keyof typeof templates>("shop")
  const seeding = useMutation({
    mutationFn: () => api.projects.source({ params: { id }, payload: { template } }),
    onSuccess: () => {
      announce("The Project has a source: S0")
      void client.invalidateQueries({ queryKey: keys.project(id) })
      void client.invalidateQueries({ queryKey: keys.projects })
    }
  })
  const origin = location.origin
  return (
    <Card title="This Project has no source yet">
      <div className="seed">
        {seeding.error === null ? null : <Problem of={seeding.error} />}
        <form
          className="seed-form"
          onSubmit={(event) => {
            event.preventDefault()
            seeding.mutate()
          }}
        >
          <SelectField
            label="Begin with a template"
            value={template}
            onChange={({ target }) => setTemplate(target.value as keyof typeof templates)}
          >
            {Object.entries(templates).map(([name, words]) => (
              <option key={name} value={name}>
                {words}
              </option>
            ))}
          </SelectField>
          <Button type="submit" look="primary" busy={seeding.isPending} why={why}>
            {seeding.isPending ? "Seeding…" : "Make it S0"}
          </Button>
        </form>
        <h3>Or send files of your own</h3>
        <Code label="Files by curl">
          {`curl -sS -H "Authorization: Bearer $PAWL_TOKEN" -H "Content-Type: application/json" \\
  -d '{"files":{"public/index.html":"<h1>Hello</h1>","wrangler.json":"{\\"assets\\":{\\"directory\\":\\"public\\"}}"}}' \\
  ${origin}/v1/projects/${id}/source`}
        </Code>
        <h3>Or bring a folder as a Project of its own</h3>
        <Code label="A folder by pawl import">{`pawl import ./my-app --slug my-app --url ${origin}`}</Code>
      </div>
    </Card>
  )
}
