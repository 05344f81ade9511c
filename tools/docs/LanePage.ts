/** The life of an entry in `docs/concepts/lane.md`, drawn from its table. The rest of that page is written by hand. */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { LaneEntryLifecycle } from "@pawl/core/model/LaneEntryLifecycle"
import { type Page, placed } from "./Markdown.ts"
import { diagram } from "./StatesPage.ts"

const path = "docs/concepts/lane.md"
const text = (): string => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), "utf8")

export const lanePage = (): Page => ({
  path,
  text: placed({ path, text: text() }, "the life of an entry", diagram(LaneEntryLifecycle))
})
