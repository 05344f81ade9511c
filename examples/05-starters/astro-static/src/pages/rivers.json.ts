import type { APIRoute } from 'astro';

export const GET: APIRoute = () => Response.json(['Elbe', 'Main', 'Spree']);
