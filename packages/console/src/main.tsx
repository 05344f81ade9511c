/** Where the page begins. Its styles come first: they say in which order the layers of all others count. */
import "./styles/index.css"
import { QueryClientProvider } from "@tanstack/react-query"
import { createRoot } from "react-dom/client"
import { makeQueryClient } from "./api/Queries.ts"
import { App } from "./shell/App.tsx"
import { takeCode } from "./signin/LoginCode.ts"

const place = document.getElementById("root")
if (place !== null)
  createRoot(place).render(
    <QueryClientProvider client={makeQueryClient()}>
      <App code={takeCode()} />
    </QueryClientProvider>
  )
