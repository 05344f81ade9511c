import { renderToStaticMarkup } from "react-dom/server"
import { expect, it } from "vitest"
import { App } from "../src/client/App.tsx"
import { NoteList } from "../src/client/NoteList.tsx"
import { UserMenu } from "../src/client/UserMenu.tsx"
import { users } from "../src/identity/index.ts"

const nothing = () => {}

it("the page has its title and the form before anything is loaded", () => {
  const page = renderToStaticMarkup(<App />)
  expect(page).toContain(">Notes</h1>")
  expect(page).toContain('aria-label="A new note"')
})

it("a note's text cannot become markup", () => {
  const page = renderToStaticMarkup(
    <NoteList notes={[{ id: "1", text: "<script>alert(1)</script>" }]} onRemove={nothing} />
  )
  expect(page).toContain("&lt;script&gt;")
  expect(page).not.toContain("<script>")
})

it("no notes are told", () => {
  expect(renderToStaticMarkup(<NoteList notes={[]} onRemove={nothing} />)).toContain("Nothing noted yet.")
})

it("the menu offers every user, and shows who it is now", () => {
  const [, maria] = users
  const menu = renderToStaticMarkup(<UserMenu user={maria!} users={users} onChoose={nothing} />)
  for (const { name } of users) expect(menu).toContain(name)
  expect(menu).toContain('<option value="maria" selected="">')
})
