/** Pictures of one line, 16 by 16. They say nothing by themselves: a word stands beside each. */
import type { ReactNode } from "react"

const paths = {
  check: "M3 8.5 6.5 12 13 4.5",
  cross: "M4 4l8 8M12 4l-8 8",
  dot: "M8 8h.01M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11",
  clock: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11M8 5v3l2 1.5",
  run: "M13.5 8a5.5 5.5 0 1 1-1.6-3.9M13.5 2.5v2.6h-2.6",
  warn: "M8 2.5 14.2 13H1.8L8 2.5M8 6.5v3M8 11.4h.01",
  stop: "M5.5 2h5L14 5.5v5L10.5 14h-5L2 10.5v-5L5.5 2M5.5 8h5",
  inbox: "M2 9.5 4 3h8l2 6.5V13H2V9.5M2 9.5h3.5L6.5 11h3l1-1.5H14",
  box: "M8 2 13.5 5v6L8 14l-5.5-3V5L8 2M2.5 5 8 8l5.5-3M8 8v6",
  copy: "M6 6h7v7.5H6V6M10 6V2.5H3V10h3",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9M10.5 10.5 14 14",
  plus: "M8 3v10M3 8h10",
  chevron: "M4.5 6.5 8 10l3.5-3.5",
  open: "M6.5 3H3v10h10V9.5M9.5 2.5h4v4M13.5 2.5 7.5 8.5",
  user: "M8 8.2a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6M2.8 13.8c.6-2.6 2.7-3.8 5.2-3.8s4.6 1.2 5.2 3.8",
  keyboard: "M1.5 4h13v8h-13V4M4 6.5h.01M6.7 6.5h.01M9.3 6.5h.01M12 6.5h.01M5 9.5h6",
  leave: "M9.5 3H3v10h6.5M7 8h7M11.5 5.5 14 8l-2.5 2.5",
  machine: "M2.5 3h11v4h-11V3M2.5 9h11v4h-11V9M5 5h.01M5 11h.01",
  key: "M10.5 2.5a3 3 0 1 1-2.4 4.8L3 12.4V14h2.2v-1.8H7v-1.8l1.4-1.3",
  letter: "M2 4h12v8.5H2V4M2 4.5l6 4.5 6-4.5",
  link: "M6.5 9.5l3-3M7 4.5l1.5-1.5a3 3 0 0 1 4.3 4.3L11.5 8.5M9 11.5 7.5 13a3 3 0 0 1-4.3-4.3L4.5 7.5"
} as const

/** The name of a picture. */
export type IconName = keyof typeof paths

/** A picture, hidden from screen readers. */
export const Icon = ({ name }: { readonly name: IconName }): ReactNode => (
  <svg className="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
    <path d={paths[name]} />
  </svg>
)
