export { default as SafelightImage } from './SafelightImage.svelte'
