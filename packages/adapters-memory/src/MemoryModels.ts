/** Models that answer what a program says: for tests, and for hosts that bring models of their own. */
import { Models, type ModelsShape, type TierModel } from "@pawl/core/agent/Models"
import { Layer } from "effect"

/** One model for all tiers. */
export const layer = (model: TierModel, ask: ModelsShape["ask"]): Layer.Layer<never> =>
  Layer.succeed(Models, { available: true, of: () => model, ask })
