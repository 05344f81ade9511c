/** The dialog that makes a Project. It is there once the server says so. */
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { useLocation } from "wouter"
import { api } from "../api/Client.ts"
import { keys } from "../api/Keys.ts"
import { asRefusal } from "../api/Refusal.ts"
import { announce } from "../shell/Announcements.ts"
import { Button } from "../ui/Button.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { SelectField, TextField } from "../ui/Field.tsx"
import { Problem } from "../ui/Problem.tsx"
import { slugOf } from "./Slug.ts"

const templates = {
  shop: "Shop: a small shop with a cart, and its tests",
  react: "React: a page with a bundled client",
  blank: "Blank: one page and one test",
  none: "None: the source comes later"
} as const
type Template = keyof typeof templates

interface Given {
  readonly name: string
  readonly slug: string
  readonly template: Template
}

const make = ({ name, slug, template }: Given) =>
  api.projects.create({ payload: { slug, name, ...(template === "none" ? {} : { template }) } })

const FirstSource = ({
  choose,
  template: chosen
}: {
  readonly template: Template
  readonly choose: (template: Template) => void
}): ReactNode => (
  <SelectField label="First source" value={chosen} onChange={({ target }) => choose(target.value as Template)}>
    {Object.entries(templates).map(([template, words]) => (
      <option key={template} value={template}>
        {words}
      </option>
    ))}
  </SelectField>
)

/** Leads to the new Project. */
export const NewProject = ({ onClose }: { readonly onClose: () => void }): ReactNode => {
  const client = useQueryClient()
  const [, go] = useLocation()
  const [given, setGiven] = useState<Given>({ name: "", slug: "", template: "shop" })
  const [isOwnSlug, setOwnSlug] = useState(false)
  const [isAsked, setAsked] = useState(false)
  const making = useMutation({
    mutationFn: make,
    onSuccess: ({ project }) => {
      void client.invalidateQueries({ queryKey: keys.projects })
      void client.invalidateQueries({ queryKey: keys.inbox })
      announce(`Project ${project.name} is made`)
      onClose()
      go(`/p/${project.label}`)
    }
  })
  const refusal = making.error === null ? null : asRefusal(making.error)
  const ofSlug = refusal?.facts["field"] === "slug" || refusal?.code === "slug_taken"
  const name = (next: string) => setGiven({ ...given, name: next, ...(isOwnSlug ? {} : { slug: slugOf(next) }) })
  const submit = () => {
    setAsked(true)
    if (given.name.trim() !== "" && given.slug !== "" && !making.isPending) making.mutate(given)
  }
  return (
    <Dialog
      title="New Project"
      onClose={onClose}
      onSubmit={submit}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={making.isPending}>
            {making.isPending ? "Making it…" : "Make the Project"}
          </Button>
        </>
      }
    >
      {refusal === null || ofSlug ? null : <Problem of={refusal} />}
      <TextField
        label="Name"
        autoComplete="off"
        value={given.name}
        wrong={isAsked && given.name.trim() === "" ? "Give it a name." : null}
        onChange={({ target }) => name(target.value)}
      />
      <TextField
        label="Slug"
        autoComplete="off"
        spellCheck={false}
        value={given.slug}
        hint="In addresses: lowercase letters, digits and hyphens. It cannot be changed later."
        wrong={ofSlug ? (refusal?.detail ?? null) : isAsked && given.slug === "" ? "Give it a slug." : null}
        onChange={({ target }) => {
          setOwnSlug(target.value !== "")
          setGiven({ ...given, slug: target.value })
        }}
      />
      <FirstSource template={given.template} choose={(template) => setGiven({ ...given, template })} />
    </Dialog>
  )
}
