/** The sources that a new Project can begin with. */
import { Context, type Effect, Schema } from "effect"
import type { FileEdits } from "./Repositories.ts"

/** The name of a source that a new Project can begin with (decisions, "Sample templates"). */
export const TemplateName = Schema.Literals(["shop", "blank", "react"])
export type TemplateName = typeof TemplateName.Type

/** The templates cannot be had now. */
export class TemplatesUnavailable extends Schema.TaggedError<TemplatesUnavailable>()("TemplatesUnavailable", {
  reason: Schema.String
}) {
  override get message() {
    return `the templates cannot be had now: ${this.reason}`
  }
}

/** The templates that come with the program. */
export class Templates extends Context.Service<
  Templates,
  {
    /**
     * All files of a template, by their paths, in path order. A template that cannot be read is a defect: it is part of the
     * program. Fails where another program has them, which is away.
     */
    readonly files: (template: TemplateName) => Effect.Effect<FileEdits, TemplatesUnavailable>
  }
>()("@pawl/core/project/Templates") {}
