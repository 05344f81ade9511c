/**
 * The object whose container runs checks. What is claimed of it is what the program within has proved there, at its start,
 * by trying it. The container ends when nobody has asked for a while.
 */
import { DurableObject } from "cloudflare:workers"
import type { SandboxAnswer, SandboxRequest } from "@pawl/adapters-local/sandbox/SandboxLines"
import { CloudflareLimits } from "../CloudflareLimits.ts"
import { type CheckImage, type ContainerLink, openLink } from "./ContainerLink.ts"

/** What may be asked of the object. */
export interface CheckCalls {
  readonly ask: (request: SandboxRequest) => Promise<SandboxAnswer>
}

/** A script names its own class below this one, which says what its container runs. */
export abstract class CheckObject<Env> extends DurableObject<Env> implements CheckCalls {
  private link: Promise<ContainerLink> | null = null
  /** Questions that are not answered yet. */
  private asking = 0

  /** What the container of this object runs. */
  protected abstract image(): CheckImage

  private async opened(): Promise<ContainerLink> {
    const { container } = this.ctx
    if (container === undefined) throw new Error("this object has no container")
    const known = this.link
    const open = await known?.catch(() => null)
    // Of many that ask at once the first opens another.
    if (open?.isOpen() !== true && this.link === known) this.link = openLink(container, this.image())
    return this.link!
  }

  async ask(request: SandboxRequest): Promise<SandboxAnswer> {
    await this.ctx.storage.setAlarm(Date.now() + CloudflareLimits.containerIdleMs)
    this.asking++
    try {
      return await (await this.opened()).ask(request)
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error)
      return { _tag: "Unavailable", reason: `the container could not be started: ${said}` }
    } finally {
      this.asking--
    }
  }

  /** Who waits for a job asks each second: what nobody has asked about for so long, nobody waits for. */
  override async alarm(): Promise<void> {
    if (this.asking > 0) return this.ctx.storage.setAlarm(Date.now() + CloudflareLimits.containerIdleMs)
    this.link = null
    await this.ctx.container?.destroy()
  }
}
