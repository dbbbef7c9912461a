import type { Component } from 'svelte'
import type { HTMLImgAttributes } from 'svelte/elements'
import type { ImageProps } from '../dist/image.js'

/** An `<img>` of a family, with its place kept and its placeholder behind it. */
export const SafelightImage: Component<ImageProps & Omit<HTMLImgAttributes, keyof ImageProps | 'src' | 'srcset'>>
