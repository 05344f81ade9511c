/** Where no news come from the server, what is under way is asked for again and again. */
import { useQueryClient } from "@tanstack/react-query"
import { useEffect } from "react"
import type { Key } from "../api/Keys.ts"
import { useConnection } from "../live/Live.ts"

/** Milliseconds between two questions. */
const againMs = 1500

/** Asks for what is below these names as long as `isUnderWay`; a page with news waits for them instead. */
export const useWatching = (all: ReadonlyArray<Key>, isUnderWay: boolean): void => {
  const client = useQueryClient()
  const { is } = useConnection()
  const isNeeded = isUnderWay && is !== "live"
  const names = JSON.stringify(all)
  useEffect(() => {
    if (!isNeeded) return
    const timer = setInterval(() => {
      for (const queryKey of JSON.parse(names) as ReadonlyArray<Key>)
        void client.invalidateQueries({ queryKey, refetchType: "active" }, { cancelRefetch: false })
    }, againMs)
    return () => clearInterval(timer)
  }, [client, isNeeded, names])
}
