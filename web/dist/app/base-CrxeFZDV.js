const __vite__mapDeps=(i,m=__vite__mapDeps,d=(m.f||(m.f=["app/Tray-DOJjjEB_.js","app/svelte-BT7Nh2Qb.js","app/icons-BrE7rAjg.js","app/Tray-hDriS0Wu.css","app/Gallery-B6Ye8LQc.js","app/ViewControls-BoCiwpPt.js","app/scroll-lock-BHOjSpf6.js","app/pages.svelte-XmO25wpb.js","app/actions-MeBZOCYw.js","app/Slider-Cw66UlN0.js","app/Slider-BIeArmj5.css","app/ViewControls-2oOkQJHD.css","app/Dialog-CMk02YKW.js","app/Dialog-CtJLdqMQ.css","app/Field-CslDrc6H.js","app/Field-_qwH4VwC.css","app/Gallery-BQYWkoHA.css","app/Login-Q2qrCkJy.js","app/failure-CfjUm2TA.js","app/Gate-DTSlA6yA.js","app/Gate-BZbTBwxa.css","app/Setup-Bp4GuQqA.js","app/Search-D01DsnGW.js","app/Search-_GfEbZ_i.css","app/Viewer-C9uphQd7.js","app/documents-7gjp7EEx.js","app/Viewer-BJP-WIHZ.css","app/Trash-BKdA5Vbd.js","app/Trash-DoIvAubA.css","app/Me-B-w-CTAK.js","app/Me-D3Vq-PQj.css"])))=>i.map(i=>d[i]);
import{A as e,B as t,C as n,D as r,Et as i,G as a,H as o,I as s,K as c,N as l,O as u,P as d,S as f,St as p,Tt as m,U as h,V as g,W as _,Z as v,_ as y,ct as b,dt as x,ft as S,g as C,gt as w,h as ee,it as T,k as te,l as E,lt as D,m as O,mt as k,n as A,o as j,pt as M,q as N,rt as P,s as ne,t as re,ut as F,v as ie,wt as ae,xt as I,z as L}from"./svelte-BT7Nh2Qb.js";var oe=(function(){let e=typeof document<`u`&&document.createElement(`link`).relList;return e&&e.supports&&e.supports(`modulepreload`)?`modulepreload`:`preload`})(),se=function(e){return`/`+e},ce={},le=function(e){return e.pathname.endsWith(`.css`)},ue=function(e,t,n){if(t in e)return e[t];let r=n();if(!r){e[t]=void 0;return}let i=r.then(()=>{e[t]=void 0},n=>{throw e[t]=void 0,n});return e[t]=i,i},R=function(e,t,n){let r=Promise.resolve();if(t&&t.length>0){let e,i=document.querySelector(`meta[property=csp-nonce]`),a=i?.nonce||i?.getAttribute(`nonce`);function o(e){return Promise.all(e.map(e=>Promise.resolve(e).then(e=>({status:`fulfilled`,value:e}),e=>({status:`rejected`,reason:e}))))}function s(e){return import.meta.resolve?new URL(import.meta.resolve(e)):new URL(e,import.meta.url)}r=o(t.map(t=>{t=se(t,n);let r=s(t),i=le(r);return ue(ce,r.href,()=>{if(e===void 0){e={all:new Set,styles:new Set};let t=document.getElementsByTagName(`link`);for(let n=t.length-1;n>=0;n--){let r=t[n];e.all.add(r.href),r.rel===`stylesheet`&&e.styles.add(r.href)}}if((i?e.styles:e.all).has(r.href))return;let t=document.createElement(`link`);if(t.rel=i?`stylesheet`:oe,i||(t.as=`script`),t.crossOrigin=``,t.href=r.href,a&&t.setAttribute(`nonce`,a),document.head.appendChild(t),i)return new Promise((e,n)=>{let i=a=>{t.removeEventListener(`load`,i),t.removeEventListener(`error`,i),a.type===`error`?n(Error(`Unable to preload CSS for ${r}`)):e(a)};t.addEventListener(`load`,i),t.addEventListener(`error`,i)})})}).filter(e=>e!==void 0))}function i(e){let t=new Event(`vite:preloadError`,{cancelable:!0});if(t.payload=e,window.dispatchEvent(t),!t.defaultPrevented)throw e}return r.then(t=>{for(let e of t||[])e.status===`rejected`&&i(e.reason);return e().catch(i)})},de={en:`English`,de:`Deutsch`,fr:`Français`,es:`Español`,"pt-BR":`Português (Brasil)`,ja:`日本語`,zh:`简体中文`},fe=`safelight.language`,pe=Object.assign({"./de.json":()=>R(()=>import(`./de-DtbbMFs9.js`).then(e=>e.default),[]),"./en.json":()=>R(()=>import(`./en-lSW4k90F.js`).then(e=>e.default),[]),"./es.json":()=>R(()=>import(`./es-gVda_YMG.js`).then(e=>e.default),[]),"./fr.json":()=>R(()=>import(`./fr-BNNOFpN7.js`).then(e=>e.default),[]),"./ja.json":()=>R(()=>import(`./ja-CMdLD5lh.js`).then(e=>e.default),[]),"./pt-BR.json":()=>R(()=>import(`./pt-BR-B0VIgCdC.js`).then(e=>e.default),[]),"./zh.json":()=>R(()=>import(`./zh-Bj7nIBGG.js`).then(e=>e.default),[])}),z=new class{#e=k({});#t=k(`en`);#n=new Intl.PluralRules(`en`);get current(){return v(this.#t)}async use(e,t=!1){M(this.#e,await pe[`./${e}.json`]()),M(this.#t,e,!0),this.#n=new Intl.PluralRules(e),document.documentElement.lang=e,t&&localStorage.setItem(fe,e)}text(e,t){let n=v(this.#e)[e];return n===void 0?e:me(typeof n==`string`?n:n[this.#n.select(Number(t.n))]??n.other??e,t,v(this.#t))}};function B(e,t={}){return z.text(e,t)}function me(e,t,n){return e.replace(/\{(\w+)\}/g,(e,r)=>{let i=t[r];return i===void 0?e:typeof i==`number`?new Intl.NumberFormat(n).format(i):i})}function he(e=localStorage.getItem(fe),t=navigator.languages){if(e&&e in de)return e;for(let e of t){let t=e.toLowerCase().split(`-`)[0],n=Object.keys(de).find(n=>n.toLowerCase()===e.toLowerCase()||n.toLowerCase().split(`-`)[0]===t);if(n)return n}return`en`}var V=new class{#e=k(S(location.pathname));get path(){return v(this.#e)}set path(e){M(this.#e,e,!0)}#t=k(S(location.hash));get hash(){return v(this.#t)}set hash(e){M(this.#t,e,!0)}query=new re(location.search);read(){this.path=location.pathname,this.hash=location.hash;let e=new URLSearchParams(location.search);for(let t of[...this.query.keys()])e.has(t)||this.query.delete(t);for(let[t,n]of e)this.query.get(t)!==n&&this.query.set(t,n)}},ge=new Set;function H(e,t={}){new URL(e,location.href).pathname!==location.pathname&&[...ge].some(e=>!e())||(history[t.replace?`replaceState`:`pushState`]({inside:!0},``,e),V.read())}function _e(e){history.state?.inside?history.back():H(e,{replace:!0})}function ve(e,t={}){let n=new URLSearchParams(location.search);for(let[t,r]of Object.entries(e))r===null||r===``?n.delete(t):n.set(t,r);let r=n.toString();history[t.push?`pushState`:`replaceState`](history.state,``,location.pathname+(r?`?${r}`:``)+location.hash),V.read()}function ye(e){let t=t=>{if(t.defaultPrevented||t.button!==0||t.metaKey||t.ctrlKey||t.shiftKey||t.altKey)return;let n=t.target?.closest?.(`a`);n&&!n.target&&!n.hasAttribute(`download`)&&n.origin===location.origin&&e(n.pathname)&&(t.preventDefault(),n.href!==location.href&&H(n.pathname+n.search+n.hash))},n=()=>V.read();return document.addEventListener(`click`,t),addEventListener(`popstate`,n),()=>{document.removeEventListener(`click`,t),removeEventListener(`popstate`,n)}}var U=class extends Error{code;field;retryAfter;constructor(e,t,n,r){super(t),this.code=e,this.field=n,this.retryAfter=r,this.name=`ApiError`}};function be(e){let[t]=e;if(t)throw new U(t.code,t.message,t.field)}async function W(e,t,n={}){let r=await xe(`/api/graphql`,JSON.stringify({query:String(e),variables:t}),n),[i]=r.errors??[];if(i)throw new U(i.extensions?.code??`INTERNAL`,i.message,i.extensions?.field);return r.data}async function G(e,t,n={}){return await xe(e,JSON.stringify(t),{...n,token:n.token??``})}async function xe(e,t,n){let r=n.token??J.token,i={Accept:`application/json`};t!==void 0&&(i[`Content-Type`]=`application/json`),r&&(i.Authorization=`Bearer ${r}`);let a;try{a=await fetch(e,{method:t===void 0?`GET`:`POST`,headers:i,body:t,signal:n.signal,credentials:`omit`,cache:`no-store`})}catch(e){throw n.signal?.aborted?e:new U(`OFFLINE`,`The server does not answer.`)}if(a.status===204)return;let o=await a.json().catch(()=>({}));if(a.ok)return o;throw Se(a,o,r)}function Se(e,t,n){let[r]=t.errors??[],i=t.error??r?.extensions?.code??`INTERNAL`;i===`UNAUTHENTICATED`&&n&&J.refused(n);let a=Number(e.headers.get(`Retry-After`))||void 0;return new U(i,t.message??r?.message??e.statusText,t.field??r?.extensions?.field,a)}async function Ce(){return await xe(`/api/auth/options`,void 0,{token:``})}var we=.6;function Te(e){return Math.min(e.issuedAt+(e.expiresAt-e.issuedAt)*we,e.expiresAt-6e4)}var K=`safelight.session`,Ee=2**31-1,De=class{#e=k(q());#t;get token(){return v(this.#e)?.token??``}get user(){return v(this.#e)?.user??null}get mayEdit(){return this.user?.role===`admin`||this.user?.role===`user`}get mayAdminister(){return this.user?.role===`admin`}start(){addEventListener(`storage`,e=>{(e.key===K||e.key===null)&&this.#i(q())}),addEventListener(`visibilitychange`,()=>this.#a()),this.#a()}async login(e,t){this.#n(await G(`/api/auth/login`,{username:e,password:t}))}async guest(){this.#n(await G(`/api/auth/guest`,{}))}async register(e){this.#n(await G(`/api/auth/register`,e))}async logout(){let e=this.token;this.forget(),e&&await G(`/api/auth/logout`,{},{token:e}).catch(()=>void 0)}forget(){localStorage.removeItem(K),this.#i(null)}refused(e){let t=q();t&&t.token!==e?this.#i(t):this.forget()}rename(e){let t=v(this.#e);t&&this.#r({...t,user:{...t.user,displayName:e}})}#n(e){let t=Date.now();this.#r({token:e.token,issuedAt:t,expiresAt:t+e.expiresIn*1e3,user:e.user})}#r(e){localStorage.setItem(K,JSON.stringify(e)),this.#i(e)}#i(e){M(this.#e,e),this.#a()}#a(){clearTimeout(this.#t);let e=v(this.#e);if(!e)return;let t=Math.max(0,Te(e)-Date.now());this.#t=setTimeout(()=>t>Ee?this.#a():void this.#o(),Math.min(t,Ee))}async#o(){let e=async()=>{let e=q();if(!e||Te(e)>Date.now())return this.#i(e);try{this.#n(await G(`/api/auth/refresh`,{token:e.token}))}catch(t){t instanceof U&&t.code===`UNAUTHENTICATED`?this.refused(e.token):this.#t=setTimeout(()=>void this.#o(),3e4)}};navigator.locks?await navigator.locks.request(K,e):await e()}};function q(){try{let e=JSON.parse(localStorage.getItem(K)??`null`);return e&&e.expiresAt>Date.now()?e:null}catch{return null}}var J=new De,Oe=`M20 6 9 17l-5-5`,ke=`M2 12a10 10 0 1 0 20 0a10 10 0 1 0 -20 0M12 8L12 12M12 16L12.01 16`,Ae=`M18 6 6 18M6 6l12 12`,je=o(`<svg viewBox="0 0 24 24" aria-hidden="true"><path></path></svg>`);function Y(e,t){let r=j(t,`size`,3,18),i=j(t,`fill`,3,!1);var a=je();let o;var s=F(a);P(()=>{C(a,`width`,r()),C(a,`height`,r()),o=n(a,0,`svelte-123hemx`,null,o,{fill:i()}),C(s,`d`,t.path)}),L(e,a)}var Me={done:6e3,note:8e3,error:1e4},X=new class{#e=k(S([]));get list(){return v(this.#e)}set list(e){M(this.#e,e,!0)}#t=1;#n=new Map;show(e,t,n){let r=this.#t++;return this.list=[...this.list.slice(-2),{id:r,kind:e,text:t,action:n}],this.#r(r,e),r}close(e){this.list=this.list.filter(t=>t.id!==e),clearTimeout(this.#n.get(e)),this.#n.delete(e)}hold(){for(let e of this.#n.values())clearTimeout(e)}release(){for(let e of this.list)this.#r(e.id,e.kind)}#r(e,t){clearTimeout(this.#n.get(e)),this.#n.set(e,setTimeout(()=>this.close(e),Me[t]))}},Ne=g(`<button class="act svelte-d8zspq"> </button>`),Pe=g(`<div><!> <span class="grow"> </span> <!> <button class="close svelte-d8zspq"><!></button></div>`),Fe=g(`<div class="toasts svelte-d8zspq" role="status" aria-live="polite"></div>`);function Ie(t,r){p(r,!0);async function i(e){X.close(e.id),await e.action?.run()}var a=Fe();e(a,21,()=>X.list,e=>e.id,(e,t)=>{var r=Pe(),a=b(r);{let e=w(()=>v(t).kind===`done`?Oe:ke);Y(a,{get path(){return v(e)}})}var o=x(a,2),u=F(o,!0),d=x(o,2),f=e=>{var n=Ne(),r=F(n,!0);P(()=>s(r,v(t).action.label)),c(`click`,n,()=>i(v(t))),L(e,n)};l(d,e=>{v(t).action&&e(f)});var p=x(d,2);Y(b(p),{get path(){return Ae},size:16}),m(p),m(r),P(e=>{n(r,1,`toast ${v(t).kind??``}`,`svelte-d8zspq`),s(u,v(t).text),C(p,`aria-label`,e)},[()=>B(`ui.close`)]),c(`click`,p,()=>X.close(v(t).id)),L(e,r)}),m(a),N(`pointerenter`,a,()=>X.hold()),N(`pointerleave`,a,()=>X.release()),c(`focusin`,a,()=>X.hold()),c(`focusout`,a,()=>X.release()),L(t,a),I()}a([`focusin`,`focusout`,`click`]);function Le(e,t){let n=e.split(`/`).slice(1),r=t.replace(/\/+$/,``).split(`/`).slice(1),i={};for(let[e,t]of n.entries()){if(t.startsWith(`*`))return i[t.slice(1)]=r.slice(e).map(ze).join(`/`),i;let n=r[e]??``;if(t.startsWith(`:`)){if(!n)return null;i[t.slice(1)]=ze(n)}else if(t!==n)return null}return r.length>n.length?null:i}function Re(e){return e.split(`/`).map(encodeURIComponent).join(`/`)}function ze(e){try{return decodeURIComponent(e)}catch{return e}}var Be=`M9 18l6-6-6-6`,Ve=`M20 20a2 2 0 0 0 2-2V8a2 2 0 0 0-2-2h-7.9a2 2 0 0 1-1.69-.9L9.6 3.9A2 2 0 0 0 7.93 3H4a2 2 0 0 0-2 2v13a2 2 0 0 0 2 2Z`,He=`M6 14l1.5-2.9A2 2 0 0 1 9.24 10H20a2 2 0 0 1 1.94 2.5l-1.54 6a2 2 0 0 1-1.95 1.5H4a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2h3.9a2 2 0 0 1 1.69.9l.81 1.2a2 2 0 0 0 1.67.9H18a2 2 0 0 1 2 2v2`,Z=class extends String{__apiType;value;__meta__;constructor(e,t){super(e),this.value=e,this.__meta__=t}toString(){return this.value}};new Z(`
    fragment Tile on File {
  id
  path
  name
  size
  modifiedAt
  takenAt
  type
  metadata
  width
  height
  pages
  dominantColor
  thumbHash
  tags
  focalPoint {
    x
    y
  }
  small: url(operations: {height: 240, filters: [{name: "format", args: "webp"}]})
  medium: url(
    operations: {height: 480, filters: [{name: "format", args: "webp"}]}
  )
  large: url(operations: {height: 960, filters: [{name: "format", args: "webp"}]})
}
    `,{fragmentName:`Tile`}),new Z(`
    fragment Trashed on TrashedFile {
  id
  path
  name
  isDirectory
  size
  fileCount
  trashedAt
  trashedBy
  purgeAt
}
    `,{fragmentName:`Trashed`}),new Z(`
    fragment Viewed on File {
  id
  path
  name
  size
  modifiedAt
  takenAt
  type
  width
  height
  pages
  camera
  dominantColor
  thumbHash
  exif {
    name
    value
  }
  tags
  description
  focalPoint {
    x
    y
  }
  small: url(operations: {width: 480, filters: [{name: "format", args: "webp"}]})
  screens: srcset(
    widths: [960, 1600, 2400, 3600, 5400, 8000]
    operations: {filters: [{name: "format", args: "webp"}]}
  )
  full: url(operations: {filters: [{name: "format", args: "webp"}]})
  original: url(operations: {filters: [{name: "raw"}, {name: "attachment"}]})
}
    `,{fragmentName:`Viewed`}),new Z(`
    query Files($folder: String!, $recursive: Boolean!, $filter: FileFilter, $search: String, $sort: FileSort!, $order: SortOrder!, $first: Int!, $after: String, $count: Boolean!) {
  files(
    folder: $folder
    recursive: $recursive
    filter: $filter
    search: $search
    sort: $sort
    order: $order
    first: $first
    after: $after
  ) {
    totalCount @include(if: $count)
    nodes {
      ...Tile
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    fragment Tile on File {
  id
  path
  name
  size
  modifiedAt
  takenAt
  type
  metadata
  width
  height
  pages
  dominantColor
  thumbHash
  tags
  focalPoint {
    x
    y
  }
  small: url(operations: {height: 240, filters: [{name: "format", args: "webp"}]})
  medium: url(
    operations: {height: 480, filters: [{name: "format", args: "webp"}]}
  )
  large: url(operations: {height: 960, filters: [{name: "format", args: "webp"}]})
}`),new Z(`
    query Folders($folder: String!, $after: String) {
  folders(folder: $folder, first: 100, after: $after) {
    nodes {
      id
      path
      name
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `),new Z(`
    query FolderFace($folder: String!) {
  files(folder: $folder, recursive: true, sort: MODIFIED, order: DESC, first: 4) {
    totalCount
    nodes {
      id
      thumb: url(
        operations: {width: 80, height: 80, smart: true, filters: [{name: "format", args: "webp"}]}
      )
    }
  }
}
    `),new Z(`
    query Tags {
  tags {
    name
    count
  }
}
    `),new Z(`
    mutation TagFiles($input: TagFilesInput!) {
  tagFiles(input: $input) {
    results {
      path
      ok
      error {
        code
        message
      }
    }
    userErrors {
      code
      message
      field
    }
  }
}
    `),new Z(`
    mutation TrashFiles($input: TrashFilesInput!) {
  trashFiles(input: $input) {
    results {
      path
      ok
      trashed {
        id
      }
      error {
        code
        message
      }
    }
    userErrors {
      code
      message
      field
    }
  }
}
    `),new Z(`
    mutation RestoreFiles($input: RestoreFilesInput!) {
  restoreFiles(input: $input) {
    results {
      id
      ok
      error {
        code
        message
      }
    }
    userErrors {
      code
      message
      field
    }
  }
}
    `),new Z(`
    mutation MoveFiles($input: MoveFilesInput!) {
  moveFiles(input: $input) {
    results {
      path
      ok
      file {
        path
      }
      error {
        code
        message
      }
    }
    userErrors {
      code
      message
      field
    }
  }
}
    `),new Z(`
    mutation CopyFiles($input: CopyFilesInput!) {
  copyFiles(input: $input) {
    results {
      path
      ok
      error {
        code
        message
      }
    }
    userErrors {
      code
      message
      field
    }
  }
}
    `),new Z(`
    mutation CreateFolder($path: String!) {
  createFolder(path: $path)
}
    `),new Z(`
    mutation LogoutEverywhere($userId: ID, $apiTokens: Boolean) {
  logoutEverywhere(userId: $userId, apiTokens: $apiTokens)
}
    `),new Z(`
    mutation RenameMe($input: UpdateProfileInput!) {
  updateProfile(input: $input) {
    id
    displayName
  }
}
    `),new Z(`
    mutation ChangeMyPassword($input: ChangePasswordInput!) {
  changePassword(input: $input)
}
    `),new Z(`
    query TrashPage($after: String, $count: Boolean!) {
  trashedFiles(first: 100, after: $after) {
    totalCount @include(if: $count)
    nodes {
      ...Trashed
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    fragment Trashed on TrashedFile {
  id
  path
  name
  isDirectory
  size
  fileCount
  trashedAt
  trashedBy
  purgeAt
}`),new Z(`
    mutation PurgeFiles($input: PurgeFilesInput!) {
  purgeFiles(input: $input) {
    results {
      id
      ok
      error {
        code
        message
      }
    }
    userErrors {
      code
      message
      field
    }
  }
}
    `),new Z(`
    mutation EmptyTrash {
  emptyTrash {
    purgedCount
    userErrors {
      code
      message
      field
    }
  }
}
    `),new Z(`
    mutation CreateUpload($input: CreateUploadInput!) {
  createUpload(input: $input) {
    upload {
      id
      url
    }
    userErrors {
      code
      message
      field
    }
  }
}
    `),new Z(`
    mutation FinishUpload($input: FinishUploadInput!) {
  finishUpload(input: $input) {
    file {
      path
    }
    userErrors {
      code
      message
      field
    }
  }
}
    `),new Z(`
    mutation CancelUpload($input: CancelUploadInput!) {
  cancelUpload(input: $input) {
    userErrors {
      code
      message
      field
    }
  }
}
    `),new Z(`
    query ViewedFile($path: String!) {
  file(path: $path) {
    ...Viewed
  }
}
    fragment Viewed on File {
  id
  path
  name
  size
  modifiedAt
  takenAt
  type
  width
  height
  pages
  camera
  dominantColor
  thumbHash
  exif {
    name
    value
  }
  tags
  description
  focalPoint {
    x
    y
  }
  small: url(operations: {width: 480, filters: [{name: "format", args: "webp"}]})
  screens: srcset(
    widths: [960, 1600, 2400, 3600, 5400, 8000]
    operations: {filters: [{name: "format", args: "webp"}]}
  )
  full: url(operations: {filters: [{name: "format", args: "webp"}]})
  original: url(operations: {filters: [{name: "raw"}, {name: "attachment"}]})
}`),new Z(`
    mutation SaveFile($input: UpdateFileInput!) {
  updateFile(input: $input) {
    file {
      ...Viewed
    }
    userErrors {
      code
      message
      field
    }
  }
}
    fragment Viewed on File {
  id
  path
  name
  size
  modifiedAt
  takenAt
  type
  width
  height
  pages
  camera
  dominantColor
  thumbHash
  exif {
    name
    value
  }
  tags
  description
  focalPoint {
    x
    y
  }
  small: url(operations: {width: 480, filters: [{name: "format", args: "webp"}]})
  screens: srcset(
    widths: [960, 1600, 2400, 3600, 5400, 8000]
    operations: {filters: [{name: "format", args: "webp"}]}
  )
  full: url(operations: {filters: [{name: "format", args: "webp"}]})
  original: url(operations: {filters: [{name: "raw"}, {name: "attachment"}]})
}`),new Z(`
    query FileForUse($path: String!, $width: Int!, $widths: [Int!]!) {
  file(path: $path) {
    id
    url(operations: {width: $width})
    jpeg: srcset(
      widths: $widths
      operations: {filters: [{name: "format", args: "jpeg"}]}
    )
    webp: srcset(
      widths: $widths
      operations: {filters: [{name: "format", args: "webp"}]}
    )
    avif: srcset(
      widths: $widths
      operations: {filters: [{name: "format", args: "avif"}]}
    )
  }
}
    `);var Ue=`query Files($folder:String!$recursive:Boolean!$filter:FileFilter$search:String$sort:FileSort!$order:SortOrder!$first:Int!$after:String$count:Boolean!){files(folder:$folder recursive:$recursive filter:$filter search:$search sort:$sort order:$order first:$first after:$after){totalCount@include(if:$count)nodes{...Tile}pageInfo{hasNextPage endCursor}}}fragment Tile on File{id path name size modifiedAt takenAt type metadata width height pages dominantColor thumbHash tags focalPoint{x y}small:url(operations:{height:240 filters:[{name:"format" args:"webp"}]})medium:url(operations:{height:480 filters:[{name:"format" args:"webp"}]})large:url(operations:{height:960 filters:[{name:"format" args:"webp"}]})}`,We=`query Folders($folder:String!$after:String){folders(folder:$folder first:100 after:$after){nodes{id path name}pageInfo{hasNextPage endCursor}}}`,Ge=`query FolderFace($folder:String!){files(folder:$folder recursive:true sort:MODIFIED order:DESC first:4){totalCount nodes{id thumb:url(operations:{width:80 height:80 smart:true filters:[{name:"format" args:"webp"}]})}}}`,Ke=`query Tags{tags{name count}}`,qe=`mutation TagFiles($input:TagFilesInput!){tagFiles(input:$input){results{path ok error{code message}}userErrors{code message field}}}`,Je=`mutation TrashFiles($input:TrashFilesInput!){trashFiles(input:$input){results{path ok trashed{id}error{code message}}userErrors{code message field}}}`,Ye=`mutation RestoreFiles($input:RestoreFilesInput!){restoreFiles(input:$input){results{id ok error{code message}}userErrors{code message field}}}`,Xe=`mutation MoveFiles($input:MoveFilesInput!){moveFiles(input:$input){results{path ok file{path}error{code message}}userErrors{code message field}}}`,Ze=`mutation CopyFiles($input:CopyFilesInput!){copyFiles(input:$input){results{path ok error{code message}}userErrors{code message field}}}`,Qe=`mutation CreateFolder($path:String!){createFolder(path:$path)}`,Q=new class{#e=new A;#t=new Map;children(e){return this.#e.get(e)}load(e){return this.#e.has(e)?Promise.resolve():this.reload(e)}reload(e){let t=this.#t.get(e);if(t)return t;let n=this.#n(e).finally(()=>this.#t.delete(e));return this.#t.set(e,n),n}clear(){this.#e.clear()}async#n(e){let t=[];for(let n=null;;){let{folders:r}=await W(We,{folder:e,after:n});if(t.push(...r?.nodes??[]),n=r?.pageInfo.endCursor??null,!r?.pageInfo.hasNextPage||!n)break}this.#e.set(e,t)}},$e=e=>e.slice(0,Math.max(0,e.lastIndexOf(`/`))),et=e=>e.slice(e.lastIndexOf(`/`)+1),tt=(e,t)=>e?`${e}/${t}`:t,nt=e=>e?e.split(`/`).map((e,t,n)=>n.slice(0,t+1).join(`/`)):[],rt=`safelight.gallery`,$=new class{#e=k(`justified`);get view(){return v(this.#e)}set view(e){M(this.#e,e,!0)}#t=k(200);get size(){return v(this.#t)}set size(e){M(this.#t,e,!0)}#n=k(S([]));get open(){return v(this.#n)}set open(e){M(this.#n,e,!0)}constructor(){try{let e=JSON.parse(localStorage.getItem(rt)??`{}`);e.view&&[`justified`,`square`,`list`].includes(e.view)&&(this.view=e.view),typeof e.size==`number`&&(this.size=Math.min(400,Math.max(96,e.size))),Array.isArray(e.open)&&(this.open=e.open.filter(e=>typeof e==`string`).slice(0,200))}catch{}}keep(){localStorage.setItem(rt,JSON.stringify({view:this.view,size:this.size,open:this.open}))}},it=g(`<ul role="group" class="svelte-ccbhws"></ul>`),at=g(`<li role="none"><div role="treeitem"><span><!></span> <!> <span class="clip"> </span></div> <!></li>`);function ot(t,r){p(r,!0);let i=w(()=>$.open.includes(r.folder.path)),a=w(()=>Q.children(r.folder.path)),o=w(()=>r.at===r.folder.path);T(()=>{Q.load(r.folder.path).catch(()=>void 0)});function u(){$.open=v(i)?$.open.filter(e=>e!==r.folder.path&&!e.startsWith(`${r.folder.path}/`)):[...$.open,r.folder.path],$.keep()}var d=at(),h=b(d);let g,_;var y=b(h);let S;Y(b(y),{get path(){return Be},size:12}),m(y);var ee=x(y,2);{let e=w(()=>v(i)&&v(a)?.length?He:Ve);Y(ee,{get path(){return v(e)}})}var te=x(ee,2),E=F(te,!0);m(h);var D=x(h,2),O=t=>{var n=it();e(n,21,()=>v(a),e=>e.path,(e,t)=>{{let n=w(()=>r.depth+1);ot(e,{get folder(){return v(t)},get depth(){return v(n)},get at(){return r.at},get go(){return r.go},entry:!1})}}),m(n),L(t,n)};l(D,e=>{v(i)&&v(a)?.length&&e(O)}),m(d),P(()=>{C(h,`aria-level`,r.depth+1),C(h,`tabindex`,v(o)||r.entry?0:-1),C(h,`aria-selected`,v(o)),C(h,`aria-expanded`,v(a)?.length?v(i):void 0),C(h,`data-path`,r.folder.path),g=n(h,1,`row svelte-ccbhws`,null,g,{on:v(o)}),_=f(h,``,_,{"padding-left":`${r.depth*16+4}px`}),S=n(y,1,`twist svelte-ccbhws`,null,S,{open:v(i),none:!v(a)?.length}),C(te,`title`,r.folder.name),s(E,r.folder.name)}),N(`toggle`,h,u),c(`click`,h,()=>r.go(r.folder.path)),c(`click`,y,e=>{e.stopPropagation(),u()}),L(t,d),I()}a([`click`]);var st=g(`<h3 class="svelte-1adg88"> </h3>`),ct=g(`<li role="treeitem" data-path=""> </li>`),lt=g(`<!> <ul role="tree" class="svelte-1adg88"><!> <!></ul>`,1);function ut(r,i){p(i,!0);let a=j(i,`label`,19,()=>B(`nav.folders`)),o=w(()=>i.chosen??(V.path.startsWith(`/f/`)?decodeURIComponent(V.path.slice(3)):``)),u=w(()=>Q.children(``)),d=e=>i.onchoose?i.onchoose(e):H(`/f/${Re(e)}`);T(()=>{Q.load(``).catch(()=>void 0);for(let e of nt(v(o)).slice(0,-1))$.open.includes(e)||($.open=[...$.open,e])});function f(e){let t=[...e.currentTarget.querySelectorAll(`[role=treeitem]`)],n=e.target.closest(`[role=treeitem]`),r=n?t.indexOf(n):-1,i=n?.getAttribute(`aria-expanded`),a;if(e.key===`ArrowDown`)a=t[r+1];else if(e.key===`ArrowUp`)a=t[r-1];else if(e.key===`Home`)a=t[0];else if(e.key===`End`)a=t.at(-1);else if(e.key===`ArrowRight`&&n)i===`false`?n.dispatchEvent(new CustomEvent(`toggle`)):a=t[r+1];else if(e.key===`ArrowLeft`&&n)i===`true`?n.dispatchEvent(new CustomEvent(`toggle`)):a=t.slice(0,r).findLast(e=>Number(e.ariaLevel)<Number(n.ariaLevel));else if((e.key===`Enter`||e.key===` `)&&n)d(n.dataset.path);else return;e.preventDefault(),e.stopPropagation(),a?.focus()}var h=t(),g=D(h),_=t=>{var r=lt(),p=D(r),h=e=>{var t=st(),n=F(t,!0);P(()=>s(n,a())),L(e,t)};l(p,e=>{i.onchoose||e(h)});var g=x(p,2),_=b(g),y=e=>{var t=ct();let r;var i=F(t,!0);P(e=>{C(t,`tabindex`,v(o)===``?0:-1),C(t,`aria-selected`,v(o)===``),r=n(t,1,`root svelte-1adg88`,null,r,{on:v(o)===``}),s(i,e)},[()=>B(`nav.library`)]),c(`click`,t,()=>d(``)),c(`keydown`,t,()=>void 0),L(e,t)};l(_,e=>{i.onchoose&&e(y)});var S=x(_,2);e(S,19,()=>v(u)??[],e=>e.path,(e,t,n)=>{{let r=w(()=>!i.onchoose&&v(n)===0&&!v(u)?.some(e=>v(o)===e.path||v(o).startsWith(`${e.path}/`)));ot(e,{get folder(){return v(t)},depth:0,get at(){return v(o)},go:d,get entry(){return v(r)}})}}),m(g),P(()=>C(g,`aria-label`,a())),c(`keydown`,g,f),L(t,r)};l(g,e=>{(v(u)?.length||i.onchoose)&&e(_)}),L(r,h),I()}a([`keydown`,`click`]);var dt=`mutation CreateUpload($input:CreateUploadInput!){createUpload(input:$input){upload{id url}userErrors{code message field}}}`,ft=`mutation FinishUpload($input:FinishUploadInput!){finishUpload(input:$input){file{path}userErrors{code message field}}}`,pt=`mutation CancelUpload($input:CancelUploadInput!){cancelUpload(input:$input){userErrors{code message field}}}`,mt=3,ht=8<<20,gt=[500,1e3,3e3,5e3,1e4,2e4],_t=class{id;file;path;#e=k(`waiting`);get state(){return v(this.#e)}set state(e){M(this.#e,e,!0)}#t=k(0);get sent(){return v(this.#t)}set sent(e){M(this.#t,e,!0)}#n=k(``);get reason(){return v(this.#n)}set reason(e){M(this.#n,e,!0)}preview;policy=`ERROR`;#r=null;#i=null;constructor(e,t,n){this.id=e,this.file=t,this.path=n,this.preview=/^image\/(jpeg|png|webp|gif|avif)$/.test(t.type)&&t.size<3e7?URL.createObjectURL(t):``}async run(){this.state=`sending`,this.reason=``;try{this.#r?await this.#s(this.#r):await this.#o();let{finishUpload:e}=await W(ft,{input:{id:this.#i}});be(e?.userErrors??[]),this.state=`done`}catch(e){if(this.#a)return;let t=e instanceof U&&e.code===`CONFLICT`;t&&(this.#r=null),this.state=t?`conflict`:`failed`,this.reason=e instanceof Error?e.message:String(e)}}get#a(){return this.state===`paused`}async#o(){let{createUpload:e}=await W(dt,{input:{path:this.path,contentType:this.file.type.startsWith(`image/`)?this.file.type:`application/octet-stream`,sizeBytes:this.file.size,onConflict:this.policy}});be(e?.userErrors??[]);let{id:t,url:n}=e.upload;this.#i=t;let{Upload:r}=await R(async()=>{let{Upload:e}=await import(`./browser-DpflrsUw.js`);return{Upload:e}},[]);this.#r=new r(this.file,{uploadUrl:new URL(n,location.href).href,chunkSize:ht,retryDelays:gt,storeFingerprintForResuming:!1,onProgress:e=>this.sent=e}),await this.#s(this.#r)}#s(e){return new Promise((t,n)=>{e.options.onSuccess=()=>t(),e.options.onError=n,this.#c=()=>n(Error(`paused`)),e.start()})}#c=()=>void 0;pause(){this.state===`waiting`&&(this.state=`paused`),this.state===`sending`&&(this.state=`paused`,this.#r?.abort(),this.#c())}cancel(){this.pause(),this.#i&&this.state!==`done`&&W(pt,{input:{id:this.#i}}).catch(()=>void 0),this.preview&&URL.revokeObjectURL(this.preview)}},vt=new class{#e=k([]);get list(){return v(this.#e)}set list(e){M(this.#e,e)}#t=new A;#n=1;add(e,t){t.length&&(this.list=[...this.list,...t.map(({file:t,path:n})=>new _t(this.#n++,t,tt(e,n)))],this.#r())}finishedIn(e){return this.#t.get(e)??0}get done(){return this.list.filter(e=>e.state===`done`).length}get running(){return this.list.some(e=>e.state===`sending`||e.state===`waiting`)}get bytes(){let e=this.list.reduce((e,t)=>e+t.file.size,0);return{sent:this.list.reduce((e,t)=>e+(t.state===`done`?t.file.size:t.sent),0),all:e}}retry(e,t){t&&(e.policy=t),e.state=`waiting`,this.#r()}resolveAll(e){for(let t of this.list.filter(e=>e.state===`conflict`))e?this.retry(t,e):this.drop(t)}pauseAll(){for(let e of this.list)e.pause()}resumeAll(){for(let e of this.list)(e.state===`paused`||e.state===`failed`)&&(e.state=`waiting`);this.#r()}drop(e){e.cancel(),this.list=this.list.filter(t=>t!==e),this.#r()}clear(){for(let e of this.list)e.cancel();this.list=[]}#r(){let e=mt-this.list.filter(e=>e.state===`sending`).length;for(let t of this.list.filter(e=>e.state===`waiting`).slice(0,Math.max(0,e)))t.run().then(()=>{this.#r(),t.state===`done`&&this.#o(t.path)})}#i=new Set;#a;#o(e){for(let t=$e(e);this.#i.add(t),t;t=$e(t));clearTimeout(this.#a),this.#a=setTimeout(()=>{for(let e of this.#i)this.#t.set(e,this.finishedIn(e)+1),Q.reload(e).catch(()=>void 0);this.#i.clear()},600)}},yt=`M17.925 20.056a6 6 0 0 0-11.851.001M8 11a4 4 0 1 0 8 0a4 4 0 1 0 -8 0M2 12a10 10 0 1 0 20 0a10 10 0 1 0 -20 0`,bt=`M22 11l-1.296-1.296a2.4 2.4 0 0 0-3.408 0L11 16M4 8a2 2 0 0 0-2 2v10a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2M12 7a1 1 0 1 0 2 0a1 1 0 1 0 -2 0M10 2h10a2 2 0 0 1 2 2v10a2 2 0 0 1 -2 2h-10a2 2 0 0 1 -2 -2v-10a2 2 0 0 1 2 -2z`,xt=`M21 21l-4.34-4.34M3 11a8 8 0 1 0 16 0a8 8 0 1 0 -16 0`,St=`M10 11v6M14 11v6M19 6v14a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2V6M3 6h18M8 6V4a2 2 0 0 1 2-2h4a2 2 0 0 1 2 2v2`,Ct=[{href:`/`,label:`nav.library`,icon:bt,place:`top`,tab:!0,lit:e=>e===`/`||e.startsWith(`/f/`)},{href:`/search`,label:`nav.search`,icon:xt,place:`top`,tab:!0},{href:`/trash`,label:`nav.trash`,icon:St,place:`bottom`,role:`edit`,tab:!0},{href:`/me`,label:`nav.account`,icon:yt,place:`bottom`,tab:!0}],wt=g(`<a><!><span class="clip svelte-1ic85nn"> </span></a>`),Tt=g(`<div class="app svelte-1ic85nn"><a class="skip svelte-1ic85nn" href="#main"> </a> <header class="side svelte-1ic85nn"><a class="brand svelte-1ic85nn" href="/"><span class="lamp svelte-1ic85nn"></span>Safelight</a> <nav class="svelte-1ic85nn"><!></nav> <nav class="folders svelte-1ic85nn"><!></nav> <nav class="svelte-1ic85nn"><!></nav></header> <main id="main" tabindex="-1" class="svelte-1ic85nn"><!></main> <nav class="tabs svelte-1ic85nn"></nav></div> <!>`,1);function Et(r,a){p(a,!0);let o=(r,a=i)=>{var o=t(),l=D(o);e(l,17,()=>v(c).filter(e=>e.place===a()),e=>e.href,(e,t)=>{let r=w(()=>h(v(t))&&(v(t).href!==`/`||V.path===`/`));var i=wt();let a;var o=b(i);Y(o,{get path(){return v(t).icon}});var c=x(o),l=F(c,!0);m(i),P(e=>{C(i,`href`,v(t).href),C(i,`aria-current`,v(r)?`page`:void 0),a=n(i,1,`svelte-1ic85nn`,null,a,{on:v(r)}),s(l,e)},[()=>g(v(t))]),L(e,i)}),L(r,o)},c=w(()=>Ct.filter(e=>!e.role||(e.role===`admin`?J.mayAdminister:J.mayEdit))),f=w(()=>v(c).filter(e=>e.tab).slice(0,5)),h=e=>e.lit?e.lit(V.path):V.path===e.href||V.path.startsWith(`${e.href}/`),g=e=>e.href===`/me`?J.user?.displayName??B(e.label):B(e.label);var _=Tt(),y=D(_),S=b(y),ee=F(S,!0),T=x(S,2),E=x(b(T),2);o(b(E),()=>`top`),m(E);var O=x(E,2);ut(b(O),{}),m(O);var k=x(O,2);o(b(k),()=>`bottom`),m(k),m(T);var A=x(T,2),j=b(A);te(j,()=>a.children),m(A);var M=x(A,2);e(M,21,()=>v(f),e=>e.href,(e,t)=>{var r=wt();let i;var a=b(r);Y(a,{get path(){return v(t).icon},size:22});var o=x(a),c=F(o,!0);m(r),P((e,a,o)=>{C(r,`href`,v(t).href),C(r,`aria-current`,e),i=n(r,1,`svelte-1ic85nn`,null,i,{on:a}),s(c,o)},[()=>h(v(t))?`page`:void 0,()=>h(v(t)),()=>g(v(t))]),L(e,r)}),m(M),m(y);var N=x(y,2),ne=e=>{var n=t(),r=D(n);d(r,()=>R(()=>import(`./Tray-DOJjjEB_.js`),__vite__mapDeps([0,1,2,3])),null,(e,n)=>{var r=w(()=>{var{default:e}=v(n);return{Tray:e}}),i=w(()=>v(r).Tray),a=t(),o=D(a);u(o,()=>v(i),(e,t)=>{t(e,{})}),L(e,a)}),L(e,n)};l(N,e=>{vt.list.length&&e(ne)}),P((e,t,n,r,i)=>{s(ee,e),C(E,`aria-label`,t),C(O,`aria-label`,n),C(k,`aria-label`,r),C(M,`aria-label`,i)},[()=>B(`app.skip`),()=>B(`nav.main`),()=>B(`nav.folders`),()=>B(`nav.more`),()=>B(`nav.main`)]),L(r,_),I()}var Dt=new Set([`$$slots`,`$$events`,`$$legacy`,`kind`,`icon`,`label`,`on`,`busy`,`type`,`element`,`children`,`disabled`,`href`]),Ot=g(`<span class="spin svelte-1j8p21y"></span>`),kt=g(`<!><!>`,1);function At(e,n){p(n,!0);let a=j(n,`kind`,3,`plain`),o=j(n,`busy`,3,!1),s=j(n,`type`,3,`button`),c=j(n,`element`,15,null),u=ne(n,Dt);var d=t(),f=D(d);r(f,()=>n.href===void 0?`button`:`a`,!1,(e,t)=>{E(e,e=>c(e),()=>c()),O(e,()=>({href:n.href,type:n.href===void 0?s():void 0,class:[`btn`,a(),{square:!n.children,on:n.on}],"aria-label":n.label,"aria-pressed":n.on===void 0?void 0:n.on,"aria-busy":o()||void 0,title:n.children?void 0:n.label,disabled:n.href===void 0?n.disabled||o():void 0,...u}),void 0,void 0,void 0,`svelte-1j8p21y`);var r=kt(),d=D(r),f=e=>{var t=Ot();L(e,t)},p=e=>{Y(e,{get path(){return n.icon}})};l(d,e=>{o()?e(f):n.icon&&e(p,1)});var m=x(d);te(m,()=>n.children??i),L(t,r)}),L(e,d),I()}var jt=g(`<p class="meta svelte-1mkf5dt"> </p>`),Mt=g(`<section class="svelte-1mkf5dt"><h1> </h1> <!> <!></section>`);function Nt(e,t){p(t,!0);var n=Mt(),r=b(n),i=F(r,!0),a=x(r,2),o=e=>{var n=jt(),r=F(n,!0);P(()=>s(r,t.text)),L(e,n)};l(a,e=>{t.text&&e(o)});var c=x(a,2),u=e=>{At(e,{get href(){return t.action.href},get onclick(){return t.action.run},children:(e,n)=>{ae();var r=_();P(()=>s(r,t.action.label)),L(e,r)},$$slots:{default:!0}})};l(c,e=>{t.action&&e(u)}),m(n),P(()=>s(i,t.title)),L(e,n),I()}var Pt=()=>R(()=>import(`./Gallery-B6Ye8LQc.js`),__vite__mapDeps([4,1,5,6,7,8,2,9,10,11,12,13,14,15,16])),Ft=[{pattern:`/login`,page:()=>R(()=>import(`./Login-Q2qrCkJy.js`),__vite__mapDeps([17,1,14,15,18,19,20])),bare:!0,open:!0},{pattern:`/setup`,page:()=>R(()=>import(`./Setup-Bp4GuQqA.js`),__vite__mapDeps([21,1,14,15,18,19,20])),bare:!0,open:!0},{pattern:`/`,page:Pt,group:`gallery`},{pattern:`/f/*folder`,page:Pt,group:`gallery`},{pattern:`/search`,page:()=>R(()=>import(`./Search-D01DsnGW.js`),__vite__mapDeps([22,1,5,6,7,8,2,9,10,11,23]))},{pattern:`/i/*file`,page:()=>R(()=>import(`./Viewer-C9uphQd7.js`),__vite__mapDeps([24,1,2,8,25,7,26])),bare:!0,group:`viewer`},{pattern:`/trash`,page:()=>R(()=>import(`./Trash-BKdA5Vbd.js`),__vite__mapDeps([27,1,2,8,12,6,13,28])),role:`edit`},{pattern:`/me`,page:()=>R(()=>import(`./Me-B-w-CTAK.js`),__vite__mapDeps([29,1,14,15,18,30]))}];function It(e){for(let t of Ft){let n=Le(t.pattern,e);if(n)return{route:t,params:n}}return null}var Lt=g(`<!> <!>`,1);function Rt(e,n){p(n,!0);let r=e=>{var n=t(),r=D(n),a=e=>{{let t=w(()=>B(`app.notFound`)),n=w(()=>B(`app.notFoundText`)),r=w(()=>({label:B(`app.toLibrary`),href:`/`}));Nt(e,{get title(){return v(t)},get text(){return v(n)},get action(){return v(r)}})}},f=e=>{{let t=w(()=>B(`app.notAllowed`)),n=w(()=>B(`app.notAllowedText`)),r=w(()=>({label:B(`app.toLibrary`),href:`/`}));Nt(e,{get title(){return v(t)},get text(){return v(n)},get action(){return v(r)}})}},p=e=>{{let t=w(()=>B(`app.failed`)),n=w(()=>B(`app.failedText`)),r=w(()=>({label:B(`app.reload`),run:()=>location.reload()}));Nt(e,{get title(){return v(t)},get text(){return v(n)},get action(){return v(r)}})}},m=e=>{let n=w(()=>v(s).page);var r=t(),a=D(r);u(a,()=>v(n),(e,t)=>{t(e,{get params(){return v(i).params}})}),L(e,r)};l(r,e=>{v(i)?v(o)?v(c)?e(p,2):v(s)?.key===v(d)&&e(m,3):e(f,1):e(a)}),L(e,n)},i=w(()=>It(V.path)),a=w(()=>!v(i)||v(i).route.open||J.user!==null),o=w(()=>!v(i)?.route.role||(v(i).route.role===`admin`?J.mayAdminister:J.mayEdit));T(()=>{if(v(a))return;let e=location.pathname+location.search;H(e===`/`?`/login`:`/login?next=${encodeURIComponent(e)}`,{replace:!0})});let s=k(null),c=k(!1),d=w(()=>v(i)?v(i).route.group??v(i).route.pattern:``);T(()=>{let e=v(i)?.route;if(!e||!v(a)||v(s)?.key===v(d))return;let t=v(d);M(c,!1),e.page().then(e=>t===v(d)&&M(s,{page:e.default,key:t}),()=>t===v(d)&&M(c,!0))});var f=Lt(),m=D(f),h=e=>{var n=t(),a=D(n),o=e=>{r(e)},s=e=>{Et(e,{children:(e,t)=>{r(e)},$$slots:{default:!0}})},c=e=>{r(e)};l(a,e=>{v(i)?.route.bare?e(o):J.user?e(s,1):e(c,-1)}),L(e,n)};l(m,e=>{v(a)&&e(h)}),Ie(x(m,2),{}),L(e,f),I()}var zt=`safelight.theme`,Bt=class{#e=k(S(Vt(localStorage.getItem(zt))));get choice(){return v(this.#e)}set choice(e){localStorage.setItem(zt,e),this.#t(e)}start(){this.#t(v(this.#e)),addEventListener(`storage`,e=>e.key===zt&&this.#t(Vt(e.newValue)))}#t(e){M(this.#e,e,!0),e===`system`?delete document.documentElement.dataset.theme:document.documentElement.dataset.theme=e}},Vt=e=>e===`dark`||e===`light`?e:`system`,Ht=new Bt,Ut=[`byte`,`kilobyte`,`megabyte`,`gigabyte`,`terabyte`];function Wt(e,t=z.current){let n=Math.min(Ut.length-1,e<1e3?0:Math.floor(Math.log10(e)/3)),r=e/1e3**n,i=n===0||r>=100?0:1;return new Intl.NumberFormat(t,{style:`unit`,unit:Ut[n],unitDisplay:`short`,maximumFractionDigits:i}).format(r)}function Gt(e){return new Intl.DateTimeFormat(z.current,{dateStyle:`medium`}).format(new Date(e))}function Kt(e){return new Intl.DateTimeFormat(z.current,{dateStyle:`medium`,timeStyle:`short`}).format(new Date(e))}var qt=[[`year`,31536e3],[`month`,2592e3],[`day`,86400],[`hour`,3600],[`minute`,60]];function Jt(e,t=Date.now()){let n=(new Date(e).getTime()-t)/1e3,r=new Intl.RelativeTimeFormat(z.current,{numeric:`auto`});for(let[e,t]of qt)if(Math.abs(n)>=t)return r.format(Math.trunc(n/t),e);return r.format(Math.trunc(n),`second`)}var Yt=g(`<!><span class="only-read svelte-1qlbtbo"> </span>`,1),Xt=g(`<label><input type="radio" class="svelte-1qlbtbo"/> <!></label>`),Zt=g(`<fieldset class="svelte-1qlbtbo"><legend class="only-read"> </legend> <!></fieldset>`);function Qt(t,r){let i=h();p(r,!0);var a=Zt(),o=b(a),u=F(o,!0),d=x(o,2);e(d,17,()=>r.options,e=>e.value,(e,t)=>{var a=Xt();let o;var u=b(a);ee(u);var d=x(u,2),f=e=>{var n=Yt(),r=D(n);Y(r,{get path(){return v(t).icon}});var i=x(r),a=F(i,!0);P(()=>s(a,v(t).label)),L(e,n)},p=e=>{var n=_();P(()=>s(n,v(t).label)),L(e,n)};l(d,e=>{v(t).icon?e(f):e(p,-1)}),m(a),P(()=>{C(a,`title`,v(t).icon?v(t).label:void 0),o=n(a,1,`svelte-1qlbtbo`,null,o,{icons:v(t).icon}),C(u,`name`,i),ie(u,v(t).value),y(u,r.value===v(t).value)}),c(`change`,u,()=>r.onchange(v(t).value)),L(e,a)}),m(a),P(()=>s(u,r.label)),L(t,a),I()}a([`change`]);export{Ve as A,be as B,Ue as C,qe as D,Ye as E,Ae as F,H as G,ye as H,Oe as I,de as J,ve as K,J as L,Re as M,X as N,Ke as O,Y as P,U as R,Qe as S,Xe as T,_e as U,W as V,V as W,B as X,he as Y,R as Z,tt as _,Jt as a,nt as b,It as c,St as d,xt as f,Q as g,$ as h,Kt as i,Be as j,Je as k,Nt as l,ut as m,Wt as n,Ht as o,vt as p,z as q,Gt as r,Rt as s,Qt as t,At as u,et as v,Ge as w,Ze as x,$e as y,Ce as z};