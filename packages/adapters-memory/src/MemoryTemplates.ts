/** `Templates` in memory. */
import { Effect, Layer } from "effect"
import type { FileEdits } from "@pawl/core/project/Repositories"
import { type TemplateName, Templates } from "@pawl/core/project/Templates"

/** Templates made of these files. */
export const layerMemory = (templates: Readonly<Record<TemplateName, FileEdits>>): Layer.Layer<Templates> =>
  Layer.succeed(Templates, { files: (template) => Effect.succeed(templates[template]) })
