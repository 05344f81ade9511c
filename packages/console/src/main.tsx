/** Where the page begins. Its styles come first: they say in which order the layers of all others count. */
import "./styles/index.css"
import { QueryClientProvider } from "@tanstack/react-query"
import { startTransition } from "react"
import { createRoot } from "react-dom/client"
import { makeQueryClient } from "./api/Queries.ts"
import { App } from "./shell/App.tsx"
import { askForOpening } from "./shell/Opening.ts"
import { takeCode } from "./signin/LoginCode.ts"

const place = document.getElementById("root")
if (place !== null) {
  const client = makeQueryClient()
  const code = takeCode()
  if (code === null) askForOpening(client, location.pathname).catch(() => undefined)
  const root = createRoot(place)
  // In pieces, so that a slow machine answers hands in between.
  startTransition(() =>
    root.render(
      <QueryClientProvider client={client}>
        <App code={code} />
      </QueryClientProvider>
    )
  )
}
