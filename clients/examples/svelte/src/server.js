import { render } from 'svelte/server'
import App from './App.svelte'

export const html = async () => (await render(App)).body
