export default {
  // all widths of the families, and no others
  images: { loader: 'custom', loaderFile: './loader.mjs', deviceSizes: [600, 900], imageSizes: [300] },
}
