/** A screen that breaks, or whose code does not come, takes nothing else along. */
import { Component, type ReactNode } from "react"
import { Problem } from "../ui/Problem.tsx"

interface Props {
  readonly children: ReactNode
}

/** Shows what was thrown below it, and tries again when it is told to. */
export class ScreenBoundary extends Component<Props, { readonly thrown: unknown }> {
  override state: { readonly thrown: unknown } = { thrown: null }

  static getDerivedStateFromError(thrown: unknown): { readonly thrown: unknown } {
    return { thrown }
  }

  override render(): ReactNode {
    const { thrown } = this.state
    // Code that was replaced by a newer one cannot be loaded any more: the page is.
    return thrown === null ? this.props.children : <Problem of={thrown} retry={() => location.reload()} />
  }
}
