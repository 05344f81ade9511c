export const GET = () => Response.json(["Elbe", "Havel", "Spree"]);
