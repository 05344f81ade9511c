/** How a diff is laid out, as this browser likes it. */
import { type ReactNode, useCallback, useState } from "react"
import { Segments } from "../ui/Segments.tsx"
import type { Layout } from "./Lines.tsx"

const place = "pawl.diff"

const kept = (): Layout => {
  try {
    return localStorage.getItem(place) === "split" ? "split" : "unified"
  } catch {
    return "unified"
  }
}

/** The layout, and what chooses another one. */
export const useLayout = (): readonly [Layout, (layout: Layout) => void] => {
  const [layout, setLayout] = useState(kept)
  const choose = useCallback((chosen: Layout) => {
    setLayout(chosen)
    try {
      localStorage.setItem(place, chosen)
    } catch {
      // It counts until the page is left.
    }
  }, [])
  return [layout, choose]
}

/** One of two. */
export const LayoutSwitch = ({
  choose,
  layout
}: {
  readonly layout: Layout
  readonly choose: (layout: Layout) => void
}): ReactNode => (
  <Segments
    label="Layout of the diff"
    chosen={layout}
    choose={choose}
    options={[
      { value: "unified", title: "Unified" },
      { value: "split", title: "Split" }
    ]}
  />
)
